"""Which words are profanity, an insult or a threat, and which are not."""

from audience.answers.moderation.moderation import moderate
from tests.answers.corpora import profane_texts
from tests.answers.test_moderation import reasons
from tests.rows import each_row


@each_row("text", profane_texts())
def test_profanity(text):
    assert "profanity" in reasons(text)


def test_ordinary_words_are_not_profanity():
    words = "Scunthorpe classic assess Essex cockpit peacock titanic Hancock shitake analysis grape therapist"
    assert reasons(words) == []
    assert reasons("Dick Van Dyke read Moby Dick to a Maine Coon.") == []
    assert reasons("That sucks: sex education for the same sex only, when the cock crowed.") == []


@each_row(
    "text",
    [
        "Anna Coons",
        "Coon Rapids, Minnesota",
        "We live in Dildo, Newfoundland.",
        "Auf den Wank bei Garmisch",
        "Szyję pasy ze złotymi kutasami do kontusza",
        "The Chutia and the Ahom of Assam",
        "I met Paul Boner and his wife",
        "Cumming, Alan",
        "CAROLINE J. Dicks",
        "Herr Wichser",
        "Quim Torra",
        "Semen Ivanov",
        "Liis Siim",
        "Tiina Tiit",
        "El gato negro duerme en la casa",
        "Cum ești, ce mai faci?",
        "Boken tar slut på sidan fem",
        "There were chinks in his armour",
        "a spic and span kitchen",
        "She wore a sexy topless dress",
        "Both sexes may apply",
        "Tous les retards de livraison sont dans le mail",
        "Thomas Neger",
        "Saya suka kamu, dan kamu suka saya",
        "Bio sam tamo dva puta, i nije loše",
        "Tôi là người Mông ở trong bản này",
        "Det er slet ikke det, jeg vil",
        "Ele não me pede nada",
        "Siellä on paljon puuta ja vettä",
    ],
)
def test_names_and_ordinary_words_are_not_profanity(text):
    assert reasons(text) == []


@each_row(
    "text",
    [
        "you boner",
        "a horny coon",
        "kikes and ragheads",
        "trannies",
        "pikeys",
        "negroes",
        "you retard",
        "the slut is there",
        "Fuuck You",
        "Arschloch!",
        "die Hurensöhne",
        "espèce d'enculé",
        "que gilipollas",
        "testa di cazzo",
        "filho da puta",
    ],
)
def test_insults_and_their_plurals_are_profanity(text):
    assert "profanity" in reasons(text)


@each_row(
    "text",
    ["my Boner", "Porn Videos", "Hot Porn", "p0rn", "a$$", "@ss", "asssss", "blow job", "Порно: сиськи"],
)
def test_words_of_pornography_are_told_and_refuse_nobody(text):
    assert reasons(text) == ["adult"]
    assert moderate(text).valid


@each_row(
    "text",
    [
        "Rape crisis centre",
        "Sex: female",
        "anal cancer",
        "nipple cream",
        "semen analysis",
        "Masturbation and orgasm, a lecture",
        "vulva, vagina and clitoris",
        "a proud lesbian, gay or bisexual",
        "Negro Leagues Museum",
        "The Dick and Cock inn",
    ],
)
def test_words_of_the_body_of_medicine_and_of_identity_are_neither(text):
    assert reasons(text) == []


@each_row(
    "text",
    [
        "retard",
        "retards",
        "пiздa",
        "хуй",
        "操你",
        "他妈的,走开",
        "씨발놈아",
        "شرموطة",
        "orospular",
        "kurwa",
        "くたばれよ",
        "пиздабол, заебал",
        "γαμημένοι",
        "يا ابن الشرموطة",
        "גם אתה מניאק",
        "भोसड़ी के",
        "dasar anjing",
        "địt mẹ mày",
        "kankerhomo",
        "Kankerlijers zijn jullie",
        "địt mẹ chúng mày",
        "You Coon, Go home",
        "Заєбали ваші листи",
        "你妈死了",
        "spierdalajcie",
        "ნაბიჭვარო",
        "야 이 씨1발 새끼들아",
        "Reta rd teachers",
        "fávitar",
        "pička ti materina",
    ],
)
def test_words_of_many_languages_and_scripts_are_profanity(text):
    assert "profanity" in reasons(text)


@each_row(
    "text",
    [
        "Our dog is a bitch, spayed",
        "faggots with peas and gravy",
        "Сука лабрадора и четыре щенка",
        "Apakah anjing boleh masuk?",
        "गाड़ी में चेतन है",
        "Holiday in Pula",
        "eau de Javel",
        "Negros Occidental",
        "Alice Mong'are",
        "those who re-enter, who re wrote it",
    ],
)
def test_words_that_mean_something_else_there_are_no_profanity(text):
    assert reasons(text) == []


def test_who_is_addressed_is_insulted():
    assert reasons("You bitch, go to your kennel") == ["profanity"]


@each_row(
    ("text", "reason"),
    [
        ("You are such a stupid moron", "profanity"),
        ("shut up, you losers", "profanity"),
        ("refugees are vermin", "hate"),
        ("I hate all gypsies", "hate"),
        ("Ausländer raus!", "hate"),
        ("someone should stab him", "threat"),
        ("We will burn down your church", "threat"),
        ("All immigrants like them are vile", "hate"),
        ("That is typical of gay people. They are despicable", "hate"),
        ("I wish all Muslims would be shot", "threat"),
        ("Do us all a favour and drop dead", "threat"),
        ("I hope your kids get cancer", "threat"),
        ("We know where your kids live", "threat"),
        ("Muslims breed like rabbits", "hate"),
        ("Man müsste alle Muslime vergasen", "threat"),
        ("Il faudrait gazer tous les arabes", "threat"),
        ("Hay que matar a todos los moros", "threat"),
        ("Bisognerebbe fucilare tutti gli zingari", "threat"),
        ("Zabiję cię", "threat"),
        ("Żydzi do gazu", "hate"),
        ("你这个傻 逼", "profanity"),
        ("Я тебя найду и убью", "threat"),
        ("im gonna smash your teeth in", "threat"),
        ("I'll be waiting by your car with a hammer", "threat"),
        ("Someone should throw a petrol bomb into that mosque", "threat"),
        ("Einer steht mit dem Messer vor deiner Tür", "threat"),
        ("I hope you get run over by a truck", "threat"),
        ("People like you should be castrated", "threat"),
        ("You won't live to see tomorrow", "threat"),
        ("We should hang all the journalists", "threat"),
        ("Women are too dumb to drive", "hate"),
        ("Send those people back where they came from", "hate"),
        ("Les roms, dehors !", "hate"),
        ("Ich brech dir die Nase", "threat"),
        ("Je vais te casser les dents", "threat"),
        ("Te voy a romper las piernas", "threat"),
        ("Ti spacco la testa", "threat"),
        ("Vou te partir os dentes", "threat"),
        ("Ik breek je benen", "threat"),
        ("Połamię ci nogi", "threat"),
        ("Я сломаю тебе ноги", "threat"),
        ("Bacaklarını kırarım senin", "threat"),
        ("Betöröm a fejed", "threat"),
        ("Îți sparg capul", "threat"),
        ("Jag ska döda dig", "threat"),
        ("Θα σου σπάσω τα πόδια", "threat"),
        ("אני אהרוג אותך", "threat"),
        ("널 죽여버리겠어", "threat"),
        ("我要杀了你", "threat"),
        ("जान से मार दूंगा", "threat"),
    ],
)
def test_insults_contempt_and_calls_to_harm_are_read_by_their_grammar(text, reason):
    result = moderate(text)
    assert not result.valid
    assert [str(each) for each in result.reasons] == [reason]
    assert result.details[reason]


@each_row(
    "text",
    [
        "I am an idiot, sorry",
        "You are not stupid",
        "Refugees are welcome",
        "I hate Mondays",
        "Muslims should be allowed to pray",
        "Women are not criminals",
        "Jews were deported and murdered",
        "I wish all women would be paid the same",
        "Killing a woman is a crime",
        "Refugees are in despair",
        "We should shoot them in the studio",
        "We should burn them a CD",
        "Watch your back when lifting",
        "Wir müssen Plakate aufhängen",
        "Crève-cœur, un roman",
        "Stirb langsam, um acht im Kino",
        "Ik sla je bericht over",
        "We will make you pay for the damage at the desk",
        "I will break my promise and cut your hair",
        "The eggs should be beaten until stiff",
        "Hope you get well soon",
        "Migrants, a history in pictures",
        "Les roms et les gitans de Camargue",
        "Ihr Hund ist lieb, so ein Hund!",
        "Ich mache euch auf",
        "Son perros de caza",
        "Spero di morire nel sonno",
        "Você perde seu porco",
        "Огурцы надо резать",
        "Umarım mutlu olursun",
        "Bitte küss mich, Frosch",
        "Vi skal stikke ned til byen",
        "Δεν θέλω να πεθάνεις",
        "אני אשבור את הקופה",
        "우리 집에 불이 났어요",
        "印度支那的历史",
        "창녕군 우포늪에 다녀왔어요",
        "ファックスを送ってください",
        "ミニカーの展示会、ガイシホールにて",
        "全国体操比赛今天开始",
        "หน้าหลัก ร้านอาหาร",
        "These people are filthy rich",
        "Gửi bản tin hàng tháng cho tôi",
        "Em bé tháng ngủ nhiều",
    ],
)
def test_what_is_no_insult_and_no_contempt(text):
    assert reasons(text) == []


@each_row(
    "text",
    [
        "go kill yourself",
        "Why don't you kill yourself?",
        "nobody likes you. kys",
        "u should hang urself",
        "You should just shoot yourself",
        "I'll kill you",
        "we are going to find you and kill you",
        "I will rape you",
        "I'm gonna burn down your house",
        "hope you die",
        "You're a dead man",
        "go drink bleach",
        "Ich bringe dich um!",
        "Häng dich auf. Erschieß dich",
        "je vais te buter",
        "Mátate",
        "os vamos a matar",
        "ti ammazzo",
        "vou te matar",
        "Ich weiß, wo du wohnst",
        "Wiem, gdzie mieszkasz",
        "Ik weet waar je woont",
        "Я знаю, де ти живеш",
        "والله لأقتلك",
        "Nitakuua wewe",
        "I know which school your girls go to",
        "Sabemos a qué hora sale tu hija",
        "Wiem, do której szkoły chodzi twoja córka",
        "Kızının hangi okula gittiğini biliyorum",
        "I'm bringing the nail gun for his kneecaps",
        "The owners should be dragged out and hanged",
        "Burn their mosque on Friday",
        "Podpálím ti barák",
        "Θα σου κάψω το σπίτι",
        "Закопаю тебя в лесу",
        "Tao sẽ đốt nhà mày",
        "मैं तुझे ज़िंदा जला दूंगा",
        "تجھے زندہ جلا دوں گا",
        "kiII yourself",
        "k!ll y0urself",
        "go k i l l yourself",
    ],
)
def test_threats(text):
    assert "threat" in reasons(text)
    assert not moderate(text).valid


@each_row(
    "text",
    [
        "Please don't kill yourself, call us",
        "Don't kill yourself over it",
        "He tried to kill himself",
        "You will hurt yourself",
        "Enough rope to hang yourself",
        "I will shoot you an e-mail tomorrow",
        "I'll shoot you a message",
        "These stairs will kill you",
        "You nearly killed me with that joke",
        "drop dead gorgeous",
        "Ich bring dich um acht Uhr nach Hause",
        "Das bringt dich um den Verstand",
        "Je te tiens au courant",
        "Te voy a matar a besos",
        "Kys og kram fra mor",
        "Gli ostaggi sono stati ammazzati",
        "vou te matar de rir",
        "Kill the lights",
        "I'd die for you",
        "No sé dónde vives",
        "Não sei onde moras",
        "Non so dove abiti",
        "Не знаю, где ты живешь",
        "Nie wiem, gdzie mieszkasz",
        "Nem tudom, hol laksz",
        "Δεν ξέρω πού μένεις",
        "لا أعرف أين تسكن",
        "I will never hurt your family",
        "Please let us know which school your kids go to",
        "Sabemos qué escuela necesitan sus hijos",
        "I'll bring the nail gun for the shed",
        "I will come to your shop with a knife to sharpen",
        "Ušli su u rat",
        "Morón, Buenos Aires",
        "The lamps should be hung in the hall",
        "We burn our old caravan at the festival",
        "Zapálím svíčku za tvoji babičku",
        "Закопаю клад в твоем саду",
        "तुम्हारे लिए लकड़ी काट दूंगा",
    ],
)
def test_what_is_no_threat(text):
    assert reasons(text) == []
