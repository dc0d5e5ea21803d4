-- An instance made by commit 55bcc54. Its pepper is 32 times the letter p.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.datetime(julian_day numeric, subsec text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT to_char(timestamp 'epoch'
        + CAST(round((julian_day - 2440587.5) * 86400000) AS bigint) / 86400000 * interval '1 day'
        + CAST(round((julian_day - 2440587.5) * 86400000) AS bigint) % 86400000 * interval '1 millisecond',
        'YYYY-MM-DD HH24:MI:SS.MS') $$;
CREATE FUNCTION public.folded(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN octet_length(value) = length(value) THEN lower(value COLLATE "C") ELSE replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(translate(lower(value COLLATE "C"), 'µÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᏸᏹᏺᏻᏼᏽᲀᲁᲂᲃᲄᲅᲆᲇᲈᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẛẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾸᾹᾺΆιῈΈῊΉῘῙῚΊῨῩῪΎῬῸΌῺΏΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡', 'μàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžsɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭᏰᏱᏲᏳᏴᏵвдосттъѣꙋაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕṡạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾰᾱὰάιὲέὴήῐῑὶίῠῡὺύῥὸόὼώωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃'), 'ß', 'ss'), 'İ', 'i̇'), 'ŉ', 'ʼn'), 'ǰ', 'ǰ'), 'ΐ', 'ΐ'), 'ΰ', 'ΰ'), 'և', 'եւ'), 'ẖ', 'ẖ'), 'ẗ', 'ẗ'), 'ẘ', 'ẘ'), 'ẙ', 'ẙ'), 'ẚ', 'aʾ'), 'ẞ', 'ss'), 'ὐ', 'ὐ'), 'ὒ', 'ὒ'), 'ὔ', 'ὔ'), 'ὖ', 'ὖ'), 'ᾀ', 'ἀι'), 'ᾁ', 'ἁι'), 'ᾂ', 'ἂι'), 'ᾃ', 'ἃι'), 'ᾄ', 'ἄι'), 'ᾅ', 'ἅι'), 'ᾆ', 'ἆι'), 'ᾇ', 'ἇι'), 'ᾈ', 'ἀι'), 'ᾉ', 'ἁι'), 'ᾊ', 'ἂι'), 'ᾋ', 'ἃι'), 'ᾌ', 'ἄι'), 'ᾍ', 'ἅι'), 'ᾎ', 'ἆι'), 'ᾏ', 'ἇι'), 'ᾐ', 'ἠι'), 'ᾑ', 'ἡι'), 'ᾒ', 'ἢι'), 'ᾓ', 'ἣι'), 'ᾔ', 'ἤι'), 'ᾕ', 'ἥι'), 'ᾖ', 'ἦι'), 'ᾗ', 'ἧι'), 'ᾘ', 'ἠι'), 'ᾙ', 'ἡι'), 'ᾚ', 'ἢι'), 'ᾛ', 'ἣι'), 'ᾜ', 'ἤι'), 'ᾝ', 'ἥι'), 'ᾞ', 'ἦι'), 'ᾟ', 'ἧι'), 'ᾠ', 'ὠι'), 'ᾡ', 'ὡι'), 'ᾢ', 'ὢι'), 'ᾣ', 'ὣι'), 'ᾤ', 'ὤι'), 'ᾥ', 'ὥι'), 'ᾦ', 'ὦι'), 'ᾧ', 'ὧι'), 'ᾨ', 'ὠι'), 'ᾩ', 'ὡι'), 'ᾪ', 'ὢι'), 'ᾫ', 'ὣι'), 'ᾬ', 'ὤι'), 'ᾭ', 'ὥι'), 'ᾮ', 'ὦι'), 'ᾯ', 'ὧι'), 'ᾲ', 'ὰι'), 'ᾳ', 'αι'), 'ᾴ', 'άι'), 'ᾶ', 'ᾶ'), 'ᾷ', 'ᾶι'), 'ᾼ', 'αι'), 'ῂ', 'ὴι'), 'ῃ', 'ηι'), 'ῄ', 'ήι'), 'ῆ', 'ῆ'), 'ῇ', 'ῆι'), 'ῌ', 'ηι'), 'ῒ', 'ῒ'), 'ΐ', 'ΐ'), 'ῖ', 'ῖ'), 'ῗ', 'ῗ'), 'ῢ', 'ῢ'), 'ΰ', 'ΰ'), 'ῤ', 'ῤ'), 'ῦ', 'ῦ'), 'ῧ', 'ῧ'), 'ῲ', 'ὼι'), 'ῳ', 'ωι'), 'ῴ', 'ώι'), 'ῶ', 'ῶ'), 'ῷ', 'ῶι'), 'ῼ', 'ωι'), 'ﬀ', 'ff'), 'ﬁ', 'fi'), 'ﬂ', 'fl'), 'ﬃ', 'ffi'), 'ﬄ', 'ffl'), 'ﬅ', 'st'), 'ﬆ', 'st'), 'ﬓ', 'մն'), 'ﬔ', 'մե'), 'ﬕ', 'մի'), 'ﬖ', 'վն'), 'ﬗ', 'մխ') END $$;
CREATE FUNCTION public.iif(condition boolean, yes text, no text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN condition THEN yes ELSE no END $$;
CREATE FUNCTION public.instr(whole text, part text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT strpos(whole, part) $$;
CREATE FUNCTION public.json_members(document text, key text) RETURNS TABLE(type text, atom text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    WITH found AS (SELECT json_extract_path(CAST(document AS json), key) AS value),
    members AS (
        SELECT value FROM found WHERE json_typeof(value) NOT IN ('array', 'object')
        UNION ALL SELECT a.value FROM found, json_array_elements(found.value) AS a (value)
            WHERE json_typeof(found.value) = 'array'
        UNION ALL SELECT o.value FROM found, json_each(found.value) AS o (key, value)
            WHERE json_typeof(found.value) = 'object')
    SELECT CASE json_typeof(value) WHEN 'string' THEN 'text' ELSE json_typeof(value) END, value #>> '{}'
    FROM members $$;
CREATE FUNCTION public.json_patch(target text, patch text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT '{' || coalesce(string_agg(
        CAST(to_json(coalesce(t.key, p.key)) AS text) || ':' || CAST(coalesce(p.value, t.value) AS text), ','
        ORDER BY t.place, p.place), '') || '}'
    FROM json_each(CAST(target AS json)) WITH ORDINALITY AS t (key, value, place)
    FULL JOIN json_each(CAST(patch AS json)) WITH ORDINALITY AS p (key, value, place) ON p.key = t.key $$;
CREATE FUNCTION public.json_quote(value text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT CAST(to_json(value) AS text) $$;
CREATE FUNCTION public.spelt_instant(spelt text) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
    BEGIN
        IF spelt !~ ('^[0-9]{4}-[0-9]{2}-[0-9]{2}'
            || '([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$')
        THEN
            RETURN NULL;
        END IF;
        RETURN round(extract(epoch FROM CAST(
            spelt || CASE WHEN spelt ~ '(Z|[ T].*[+-][0-9]{2}:[0-9]{2})$' THEN '' ELSE ' UTC' END
            AS timestamptz)) * 1000);
    EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format THEN
        RETURN NULL;
    END $_$;
CREATE FUNCTION public.spelt_number(spelt text) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
    DECLARE found numeric;
    BEGIN
        spelt := btrim(spelt, E' \t\n\u000b\f\r');
        IF length(spelt) > 64 OR spelt !~ '^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$' THEN
            RETURN NULL;
        END IF;
        found := CAST(spelt AS numeric);
        IF spelt ~ '^[+-]?[0-9]+$' AND found BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
            RETURN found;
        END IF;
        RETURN CAST(CAST(CAST(spelt AS double precision) AS text) AS numeric);
    EXCEPTION WHEN numeric_value_out_of_range THEN
        RETURN CASE WHEN spelt ~ '[eE]-' THEN 0 WHEN spelt LIKE '-%' THEN '-Infinity' ELSE 'Infinity' END;
    END $_$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.address_lists (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    entry text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
ALTER TABLE public.address_lists ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.address_lists_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    site_id bigint,
    actor text NOT NULL COLLATE pg_catalog."C",
    act text NOT NULL COLLATE pg_catalog."C",
    subject text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    subjects bigint DEFAULT 1 NOT NULL,
    typed text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    client_network text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.bulk_act_pieces (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    bulk_act_id bigint NOT NULL,
    ids text NOT NULL COLLATE pg_catalog."C",
    waiting integer NOT NULL
);
ALTER TABLE public.bulk_act_pieces ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.bulk_act_pieces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.bulk_acts (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    tag text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    client_network text NOT NULL COLLATE pg_catalog."C",
    undoes bigint,
    people bigint NOT NULL,
    done bigint NOT NULL,
    changed bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    seq bigint DEFAULT 0 NOT NULL,
    accepted_at bigint DEFAULT 0 NOT NULL,
    lease_until bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.bulk_acts ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.bulk_acts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.change_log (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    number bigint NOT NULL,
    count bigint NOT NULL,
    at bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    source_id bigint NOT NULL,
    entries bytea NOT NULL
);
ALTER TABLE public.change_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.change_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.changed_subscribers (
    site_id bigint NOT NULL,
    subscriber_id bigint NOT NULL,
    number bigint NOT NULL,
    part bigint NOT NULL
);
CREATE TABLE public.consent_changes (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    subscriber_id bigint NOT NULL,
    at bigint NOT NULL,
    subscribed boolean NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    source_id bigint NOT NULL,
    reason text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.consent_changes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.consent_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.custom_fields (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    whitelisted boolean,
    created_at bigint NOT NULL
);
ALTER TABLE public.custom_fields ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.custom_fields_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.discarded_tags (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    tag_id bigint NOT NULL,
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    source text DEFAULT 'operator'::text NOT NULL COLLATE pg_catalog."C",
    source_id bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.discarded_tags ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.discarded_tags_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.domains (
    site_id bigint NOT NULL,
    domain text NOT NULL COLLATE pg_catalog."C",
    people bigint NOT NULL
);
CREATE TABLE public.erased_subscribers (
    site_id bigint NOT NULL,
    subscriber_id bigint NOT NULL,
    uuid text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    waiting integer NOT NULL
);
CREATE TABLE public.events (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    subscriber_id bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    details text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    unique_key text COLLATE pg_catalog."C",
    occurred_at bigint NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE public.events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.field_values (
    site_id bigint NOT NULL,
    field_id bigint NOT NULL,
    folded text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    kind integer NOT NULL,
    subscriber_id bigint NOT NULL,
    number numeric,
    instant bigint
);
CREATE TABLE public.file_pieces (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    file text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    content bytea NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE public.file_pieces ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.file_pieces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.file_uploads (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    file text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL,
    reading text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    task text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    actor text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    client_network text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    rows_done bigint DEFAULT 0 NOT NULL,
    outcome text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    lease_until bigint DEFAULT 0 NOT NULL,
    import_id bigint DEFAULT 0 NOT NULL,
    to_search bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.file_uploads ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.file_uploads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.import_batches (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    import_id bigint NOT NULL,
    first_row bigint NOT NULL,
    payload text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.import_batches ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.import_batches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.imported_files (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    import_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    consent text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    answers text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    digest text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.imported_files ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.imported_files_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.imports (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    rows bigint NOT NULL,
    applied bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    created bigint DEFAULT 0 NOT NULL,
    updated bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    suppressed bigint DEFAULT 0 NOT NULL,
    claim text COLLATE pg_catalog."C",
    lease_until bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    turn bigint,
    accepted_at bigint,
    source text COLLATE pg_catalog."C",
    columns text COLLATE pg_catalog."C",
    unsubscribed bigint DEFAULT 0 NOT NULL,
    stay_unsubscribed bigint DEFAULT 0 NOT NULL,
    unsubscribes_ignored bigint DEFAULT 0 NOT NULL,
    subscribes_ignored bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.imports ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.imports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.instance_state (
    id integer NOT NULL,
    lowest_writer integer NOT NULL,
    move text NOT NULL COLLATE pg_catalog."C",
    phase text NOT NULL COLLATE pg_catalog."C",
    other text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    home text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.key_sites (
    site_id bigint NOT NULL,
    key_id bigint NOT NULL
);
CREATE TABLE public.keys (
    id bigint NOT NULL,
    publishable_key text NOT NULL COLLATE pg_catalog."C",
    secret_hash text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    revoked_at bigint,
    expires_at bigint,
    name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    last_used_at bigint
);
ALTER TABLE public.keys ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.logged_erasures (
    id bigint NOT NULL,
    site_uuid text NOT NULL COLLATE pg_catalog."C",
    address_hash text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    number bigint,
    pepper_check text COLLATE pg_catalog."C"
);
ALTER TABLE public.logged_erasures ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.logged_erasures_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.moved_addresses (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    address_hash text NOT NULL COLLATE pg_catalog."C",
    subscriber_id bigint NOT NULL,
    number bigint NOT NULL,
    came bigint NOT NULL
);
ALTER TABLE public.moved_addresses ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.moved_addresses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.one_time_links (
    id bigint NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    operator_id bigint,
    purpose text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);
ALTER TABLE public.one_time_links ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.one_time_links_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.operator_roles (
    site_id bigint NOT NULL,
    operator_id bigint NOT NULL,
    role text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.operators (
    id bigint NOT NULL,
    email text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    email_key text COLLATE pg_catalog."C",
    password_hash text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    administrator boolean DEFAULT false NOT NULL,
    created_at bigint NOT NULL,
    last_site_id bigint
);
ALTER TABLE public.operators ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.operators_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.pepper (
    id integer NOT NULL,
    check_value text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.refused_rows (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    import_id bigint NOT NULL,
    row_number bigint NOT NULL,
    address_hash text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    cells text NOT NULL COLLATE pg_catalog."C",
    refused_at bigint NOT NULL
);
ALTER TABLE public.refused_rows ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.refused_rows_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.reports (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    report_type text NOT NULL COLLATE pg_catalog."C",
    chart_style text NOT NULL COLLATE pg_catalog."C",
    segment_id bigint,
    settings text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
ALTER TABLE public.reports ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.reports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp without time zone NOT NULL
);
CREATE SEQUENCE public.schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.schema_migration_id_seq OWNED BY public.schema_migration.id;
CREATE TABLE public.segment_counts (
    site_id bigint NOT NULL,
    segment_id bigint NOT NULL,
    day text NOT NULL COLLATE pg_catalog."C",
    people bigint NOT NULL
);
CREATE TABLE public.segments (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    rules text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
ALTER TABLE public.segments ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.segments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sent_forms (
    session_id bigint NOT NULL,
    form text NOT NULL COLLATE pg_catalog."C",
    result text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.sessions (
    id bigint NOT NULL,
    token_hash text NOT NULL COLLATE pg_catalog."C",
    operator_id bigint NOT NULL,
    remembered boolean NOT NULL,
    client_network text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    searches text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.sessions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.site_counters (
    site_id bigint NOT NULL,
    accepted bigint NOT NULL,
    users bigint DEFAULT 0 NOT NULL,
    unsubscribers bigint DEFAULT 0 NOT NULL,
    changes bigint DEFAULT 0 NOT NULL,
    oldest_change bigint DEFAULT 1 NOT NULL,
    change_bytes bigint DEFAULT 0 NOT NULL,
    dropped_change_at bigint DEFAULT 0 NOT NULL,
    accepted_at bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.sites (
    id bigint NOT NULL,
    uuid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.sites ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.sites_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.subscriber_tags (
    site_id bigint NOT NULL,
    tag_id bigint NOT NULL,
    subscriber_id bigint NOT NULL
);
CREATE TABLE public.subscribers (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    uuid text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    first_name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    last_name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    fields text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    tag_ids text DEFAULT '[]'::text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    last_event_at bigint,
    unsubscribed_at bigint,
    consent_at bigint,
    consent_number bigint DEFAULT 0 NOT NULL,
    created_by text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    consent_kind bigint DEFAULT 0 NOT NULL,
    unsubscribe_number bigint
);
ALTER TABLE public.subscribers ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.subscribers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.suppressions (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    address_hash text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    since bigint NOT NULL,
    number bigint DEFAULT 0 NOT NULL,
    kind bigint DEFAULT 3 NOT NULL
);
ALTER TABLE public.suppressions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.suppressions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.tags (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    bearers bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.tags ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.tags_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.undo_people (
    site_id bigint NOT NULL,
    undo_id bigint NOT NULL,
    subscriber_id bigint NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    source_id bigint NOT NULL
);
CREATE TABLE public.undos (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    source_id bigint NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    rows bigint NOT NULL,
    applied bigint DEFAULT 0 NOT NULL,
    removed bigint DEFAULT 0 NOT NULL,
    restored bigint DEFAULT 0 NOT NULL,
    kept bigint DEFAULT 0 NOT NULL,
    unsubscribed_kept bigint DEFAULT 0 NOT NULL,
    unsubscribed_again bigint DEFAULT 0 NOT NULL,
    claim text COLLATE pg_catalog."C",
    lease_until bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    turn bigint NOT NULL,
    accepted_at bigint NOT NULL,
    first_row bigint NOT NULL,
    first_number bigint NOT NULL,
    place_row bigint NOT NULL,
    place bigint DEFAULT 0 NOT NULL,
    made text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    resubscribed bigint DEFAULT 0 NOT NULL,
    resubscribe bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.undos ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.undos_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_deliveries (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    webhook_id bigint NOT NULL,
    message_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    first bigint NOT NULL,
    last bigint NOT NULL,
    changes bigint NOT NULL,
    at bigint NOT NULL,
    status bigint,
    milliseconds bigint NOT NULL,
    answer text NOT NULL COLLATE pg_catalog."C",
    failure text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.webhook_deliveries ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.webhook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhooks (
    id bigint NOT NULL,
    site_id bigint NOT NULL,
    url text NOT NULL COLLATE pg_catalog."C",
    kinds text NOT NULL COLLATE pg_catalog."C",
    segment_id bigint,
    paused text NOT NULL COLLATE pg_catalog."C",
    nonce text NOT NULL COLLATE pg_catalog."C",
    old_nonce text NOT NULL COLLATE pg_catalog."C",
    old_nonce_until bigint NOT NULL,
    place bigint NOT NULL,
    run bigint NOT NULL,
    range_end bigint NOT NULL,
    resets integer NOT NULL,
    failures bigint NOT NULL,
    retry_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
ALTER TABLE public.webhooks ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.webhooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY public.schema_migration ALTER COLUMN id SET DEFAULT nextval('public.schema_migration_id_seq'::regclass);
INSERT INTO public.audit_log VALUES (1, 1, 'operator', 'webhook made', 'webhook 1', 1, '{}', '', 1795731412755);
INSERT INTO public.audit_log VALUES (2, NULL, 'operator', 'operator added', 'op@example.org', 1, '{}', '', 1795731412794);
INSERT INTO public.audit_log VALUES (3, 1, 'operator', 'role owner given', 'op@example.org', 1, '{}', '', 1795731412794);
INSERT INTO public.audit_log VALUES (4, 1, 'operator', 'many unsubscribed, begun', 'act 1', 2, '{}', '', 1795731412813);
INSERT INTO public.bulk_act_pieces VALUES (1, 1, 1, '[8, 9]', 1);
INSERT INTO public.bulk_acts VALUES (1, 1, 'unsubscribe', '', 'queued', 'operator', '', NULL, 2, 0, 0, 1795731412811, NULL, NULL, 1795311008861007, 1795731412813, 14149877);
INSERT INTO public.change_log VALUES (1, 1, 1, 1, 1795731412558, 'migration', 0, '\x7801ab562a4a2d4e2d51b22a292a4dad050026d8055a');
INSERT INTO public.change_log VALUES (2, 1, 2, 1, 1795731412735, 'import', 2, '\x7801ab564a2e4a4d2c494d51b28a368dad05002ac8053c');
INSERT INTO public.change_log VALUES (3, 1, 3, 6, 1795731412750, 'import', 3, '\x7801ab564a2e4a4d2c494d51b28a36d331d7b1d0b1d43134d031348cad050072dd0784');
INSERT INTO public.change_log VALUES (4, 1, 9, 1, 1795731412795, 'operator', 0, '\x7801ab564ace48cc4b4f4d51b28a8e36d3a9562acd2b2e4d2a4e2eca4c4a4d894f2c51b23234b73435373634313402326ab1a9c82bcdc9d1514acecf2b4ecd036a8806f30d740c626b63637594129393530b4a4016804c3236343430b0b030039226b500410827f5');
INSERT INTO public.change_log VALUES (5, 1, 10, 1, 1795731412801, 'operator', 0, '\x7801ab564ace48cc4b4f4d51b28a8e36d3a9564acd4dcccc51b252cacd2f4b4d7148ad48cc2dc849d5cb2f4a57aa45922d3040958a8dad0500b78919c2');
INSERT INTO public.change_log VALUES (6, 1, 11, 1, 1795731412805, 'operator', 0, '\x7801ab564a2d4a2c4e4d51b28a368fad0500251304da');
INSERT INTO public.changed_subscribers VALUES (1, 6, 9, 0);
INSERT INTO public.changed_subscribers VALUES (1, 6, 10, 0);
INSERT INTO public.consent_changes VALUES (1, 1, 6, 1795731412795, false, 'operator', 0, 'word');
INSERT INTO public.custom_fields VALUES (1, 1, 'plan', 'Plan', NULL, 1795311008833);
INSERT INTO public.custom_fields VALUES (2, 1, 'age', 'Age', NULL, 1795311008833);
INSERT INTO public.domains VALUES (1, 'example.com', 3);
INSERT INTO public.domains VALUES (1, 'example.org', 5);
INSERT INTO public.erased_subscribers VALUES (1, 7, '01a219ee-d70f-7107-9277-8bc1c1d299e0', 11, 0);
INSERT INTO public.events VALUES (1, 1, 1, 'visit', '{"page":"/"}', NULL, 1795311008843, 1795311008843);
INSERT INTO public.field_values VALUES (1, 1, 'pro', '', 0, 1, NULL, NULL);
INSERT INTO public.field_values VALUES (1, 1, 'pro', '', 0, 6, NULL, NULL);
INSERT INTO public.field_values VALUES (1, 1, 'pro', '', 0, 8, NULL, NULL);
INSERT INTO public.field_values VALUES (1, 1, 'pro', '', 0, 9, NULL, NULL);
INSERT INTO public.field_values VALUES (1, 1, 'pro', '', 0, 10, NULL, NULL);
INSERT INTO public.field_values VALUES (1, 1, 'pro', '', 0, 11, NULL, NULL);
INSERT INTO public.field_values VALUES (1, 2, '0', '', 1, 6, 0, NULL);
INSERT INTO public.field_values VALUES (1, 2, '2', '', 1, 8, 2, NULL);
INSERT INTO public.field_values VALUES (1, 2, '3', '', 1, 9, 3, NULL);
INSERT INTO public.field_values VALUES (1, 2, '4', '', 1, 10, 4, NULL);
INSERT INTO public.field_values VALUES (1, 2, '42', '', 1, 1, 42, NULL);
INSERT INTO public.field_values VALUES (1, 2, '5', '', 1, 11, 5, NULL);
INSERT INTO public.import_batches VALUES (4, 1, 4, 0, '{"version":2,"rows":[["late@example.org","late@example.org","","",{},[]],["p4@example.org","p4@example.org","","",{},[],[],"unsubscribe",false,{},""]]}');
INSERT INTO public.imports VALUES (1, 1, 'finished', 1, 1, 0, 1, 0, 0, 0, NULL, 1795311018858, 1, 1795311008851, 1795311008852, 1795311008858, 1795311008851000, 1795311008851, NULL, NULL, 0, 0, 0, 0);
INSERT INTO public.imports VALUES (2, 1, 'finished', 1, 1, 0, 1, 0, 0, 0, NULL, 14129799, 0, 1795311008861, 1795731412734, 1795731412736, 1795311008861000, 1795311008861, NULL, NULL, 0, 0, 0, 0);
INSERT INTO public.imports VALUES (3, 1, 'finished', 6, 6, 0, 6, 0, 0, 0, NULL, 14129815, 0, 1795731412742, 1795731412743, 1795731412751, 1795311008861002, 1795731412742, NULL, NULL, 0, 0, 0, 0);
INSERT INTO public.imports VALUES (4, 1, 'queued', 2, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 1795731412814, NULL, NULL, 1795311008861008, 1795731412814, NULL, NULL, 0, 0, 0, 0);
INSERT INTO public.instance_state VALUES (1, 3, '', '', '', 0, '');
INSERT INTO public.key_sites VALUES (1, 1);
INSERT INTO public.keys VALUES (1, 'pk_r1FWA2Oa1tmikKuuksWz0fPuqDL3FJfwD', 'f72e3915013adb282b285022a29a4aa6ae21192d2435abd27ce6dee8d0f48569', 'full', 1795311008832, NULL, NULL, '', NULL);
INSERT INTO public.logged_erasures VALUES (1, 'cc77f9ee-1c12-4838-b036-e00144d4ab7c', 'c3262ad89b5bd1f542efc1779a030e2fe0306fd137b0842b3b005e8f2c7bebe2', 1795731412804, 1795311008861006, '2ed863fa36f7578d864fbe71a245d62937058e6cf374e7eba2cfaac48e593d53');
INSERT INTO public.logged_erasures VALUES (2, 'cc77f9ee-1c12-4838-b036-e00144d4ab7c', 'f14e61592d6008e69f131c0a4a87653d803982ed4ae6583300a9966ee1eee561', 1795731412804, 1795311008861006, '2ed863fa36f7578d864fbe71a245d62937058e6cf374e7eba2cfaac48e593d53');
INSERT INTO public.one_time_links VALUES (1, '27cef9a5d1d96dd16b44a8b10738667f8095ca166c071a8a3bb6d3c6125c54d0', 1, 'password', 1795990612794);
INSERT INTO public.operator_roles VALUES (1, 1, 'owner');
INSERT INTO public.operators VALUES (1, 'op@example.org', 'op@example.org', '', true, 1795731412793, NULL);
INSERT INTO public.pepper VALUES (1, '2ed863fa36f7578d864fbe71a245d62937058e6cf374e7eba2cfaac48e593d53');
INSERT INTO public.reports VALUES (1, 1, 'People', 'Reporting::Reports::VisitorCountReport', 'count', NULL, '{}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (2, 1, 'New people', 'Reporting::Reports::NewVisitorsReport', 'column_chart', NULL, '{"unit":"day","days":30}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (3, 1, 'Unsubscribes', 'Reporting::Reports::UnsubscribesReport', 'column_chart', NULL, '{"unit":"day","days":30}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (4, 1, 'Net growth', 'Reporting::Reports::NetGrowthReport', 'column_chart', NULL, '{"unit":"week","days":90}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (5, 1, 'Total people', 'Reporting::Reports::TotalVisitorsReport', 'area_chart', NULL, '{"unit":"day","days":90}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (6, 1, 'People per tag', 'Reporting::Reports::VisitorsByTagReport', 'column_chart', NULL, '{}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (7, 1, 'People per e-mail domain', 'Reporting::Reports::VisitorsByDomainReport', 'column_chart', NULL, '{}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (8, 1, 'Events', 'Reporting::Reports::EventsReport', 'line_chart', NULL, '{"unit":"day","days":30}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (9, 1, 'Imports', 'Reporting::Reports::ImportsReport', 'column_chart', NULL, '{"unit":"day","days":30}', 1795311008774, 1795311008774);
INSERT INTO public.reports VALUES (10, 1, 'Customers by domain', 'Reporting::Reports::VisitorsByDomainReport', 'column_chart', 1, '{}', 1795311008866, 1795311008866);
INSERT INTO public.schema_migration VALUES (1, '0014_functions', '2026-11-26 22:16:55.42776');
INSERT INTO public.schema_migration VALUES (2, '0015_tables', '2026-11-26 22:16:55.516407');
INSERT INTO public.schema_migration VALUES (3, '0016_segment_counts', '2026-11-26 22:16:55.524651');
INSERT INTO public.schema_migration VALUES (4, '0017_bulk_acts', '2026-11-26 22:16:55.528328');
INSERT INTO public.schema_migration VALUES (5, '0018_file_uploads', '2026-11-26 22:16:55.545635');
INSERT INTO public.schema_migration VALUES (6, '0019_forget_empty_domains', '2026-11-26 22:16:55.546471');
INSERT INTO public.schema_migration VALUES (7, '0020_instance_state', '2026-11-26 22:16:55.548723');
INSERT INTO public.schema_migration VALUES (8, '0021_file_tasks', '2026-11-26 22:16:55.551799');
INSERT INTO public.schema_migration VALUES (9, '0022_change_log', '2026-11-26 22:16:55.561829');
INSERT INTO public.schema_migration VALUES (10, '0023_file_pieces', '2026-11-26 22:16:55.564803');
INSERT INTO public.schema_migration VALUES (11, '0024_who_left_in_imports', '2026-11-26 22:16:55.565799');
INSERT INTO public.schema_migration VALUES (12, '0025_erasure_log', '2026-11-26 22:16:55.566998');
INSERT INTO public.schema_migration VALUES (13, '0026_undos', '2026-11-26 22:16:55.574235');
INSERT INTO public.schema_migration VALUES (14, '0027_webhooks', '2026-11-26 22:16:55.582582');
INSERT INTO public.schema_migration VALUES (15, '0028_file_searches', '2026-11-26 22:16:55.58357');
INSERT INTO public.schema_migration VALUES (16, '0029_home', '2026-11-26 22:16:55.584298');
INSERT INTO public.schema_migration VALUES (17, '0030_parts_of_changed_subscribers', '2026-11-26 22:16:55.588965');
INSERT INTO public.schema_migration VALUES (18, '0031_dropped_changes', '2026-11-26 22:16:55.589742');
INSERT INTO public.schema_migration VALUES (19, '0032_consent_events', '2026-11-26 22:16:55.602883');
INSERT INTO public.schema_migration VALUES (20, '0033_console', '2026-11-26 22:16:55.605075');
INSERT INTO public.schema_migration VALUES (21, '0034_bounds_in_utc', '2026-11-26 22:16:55.608698');
INSERT INTO public.schema_migration VALUES (22, '0035_answers_of_files', '2026-11-26 22:16:55.610041');
INSERT INTO public.schema_migration VALUES (23, '0036_compared_tags', '2026-11-26 22:16:55.610821');
INSERT INTO public.segments VALUES (1, 1, 'Customers', '', '{"tag":{"is":"vip"}}', 1795311008862, 1795311008862);
INSERT INTO public.site_counters VALUES (1, 1795311008861008, 8, 1, 11, 1, 267, 0, 1795731412814);
INSERT INTO public.sites VALUES (1, 'cc77f9ee-1c12-4838-b036-e00144d4ab7c', 'Example', 1795311008774, 'Europe/Berlin');
INSERT INTO public.subscriber_tags VALUES (1, 1, 1);
INSERT INTO public.subscriber_tags VALUES (1, 2, 1);
INSERT INTO public.subscriber_tags VALUES (1, 3, 4);
INSERT INTO public.subscriber_tags VALUES (1, 3, 6);
INSERT INTO public.subscriber_tags VALUES (1, 3, 8);
INSERT INTO public.subscriber_tags VALUES (1, 3, 9);
INSERT INTO public.subscriber_tags VALUES (1, 3, 10);
INSERT INTO public.subscriber_tags VALUES (1, 3, 11);
INSERT INTO public.subscribers VALUES (1, 1, '01a200df-fc4a-77f6-8599-dad387dc1173', 'Ann@example.com', 'ann@example.com', 'Ann', 'Lee', '{"plan":"pro","age":42}', '[1,2]', 1795311008833, 1795311008843, 1795311008843, NULL, NULL, 0, '', 0, NULL);
INSERT INTO public.subscribers VALUES (4, 1, '01a200df-fc55-70b8-86f6-fdb83e92fb87', 'cy@example.com', 'cy@example.com', '', '', '{}', '[3]', 1795311008853, 1795311008853, NULL, NULL, NULL, 0, '', 0, NULL);
INSERT INTO public.subscribers VALUES (5, 1, '01a219ee-d6ff-7744-ab01-ace7dcf34c7b', 'dee@example.com', 'dee@example.com', '', '', '{}', '[]', 1795731412735, 1795731412735, NULL, NULL, NULL, 0, 'import 2', 0, NULL);
INSERT INTO public.subscribers VALUES (6, 1, '01a219ee-d70f-7107-9277-8bc0f2c5111a', 'moved@example.org', 'moved@example.org', 'P', '', '{"plan":"pro","age":0}', '[3]', 1795731412750, 1795731412801, NULL, 1795731412795, 1795731412801, 1795311008861005, 'import 3', 3, 1795311008861004);
INSERT INTO public.subscribers VALUES (8, 1, '01a219ee-d70f-7107-9277-8bc21ac4b5c9', 'p2@example.org', 'p2@example.org', 'P', '', '{"plan":"pro","age":2}', '[3]', 1795731412750, 1795731412750, NULL, NULL, NULL, 0, 'import 3', 0, NULL);
INSERT INTO public.subscribers VALUES (9, 1, '01a219ee-d70f-7107-9277-8bc35ffc9057', 'p3@example.org', 'p3@example.org', 'P', '', '{"plan":"pro","age":3}', '[3]', 1795731412750, 1795731412750, NULL, NULL, NULL, 0, 'import 3', 0, NULL);
INSERT INTO public.subscribers VALUES (10, 1, '01a219ee-d70f-7107-9277-8bc46df1e36d', 'p4@example.org', 'p4@example.org', 'P', '', '{"plan":"pro","age":4}', '[3]', 1795731412750, 1795731412750, NULL, NULL, NULL, 0, 'import 3', 0, NULL);
INSERT INTO public.subscribers VALUES (11, 1, '01a219ee-d70f-7107-9277-8bc57b8b51bc', 'p5@example.org', 'p5@example.org', 'P', '', '{"plan":"pro","age":5}', '[3]', 1795731412750, 1795731412750, NULL, NULL, NULL, 0, 'import 3', 0, NULL);
INSERT INTO public.suppressions VALUES (1, 1, '97096765a3e65a90c1188572c74b1a502d54195b4b071b6c8bfd8bbf62d3d7ae', 'erased', 1795311008845, 1795311008845999, 3);
INSERT INTO public.suppressions VALUES (2, 1, '5eee4bcf05857b8b71bf26d8c0a493ddded8d406402a11513bd041f5b5a26ca9', 'unsubscribed', 1795731412795, 1795311008861004, 3);
INSERT INTO public.suppressions VALUES (3, 1, 'c3262ad89b5bd1f542efc1779a030e2fe0306fd137b0842b3b005e8f2c7bebe2', 'erased', 1795731412804, 1795311008861006, 3);
INSERT INTO public.tags VALUES (1, 1, 'vip', 'vip', 1795311008833, 1);
INSERT INTO public.tags VALUES (2, 1, 'Berlin', 'berlin', 1795311008833, 1);
INSERT INTO public.tags VALUES (3, 1, 'new', 'new', 1795311008853, 6);
INSERT INTO public.webhooks VALUES (1, 1, 'http://127.0.0.1:9/hook', '[]', NULL, '', '2b9d9836047fe373a34f73e98916a962c115f95c115f3e3e2822f9101144da95', '', 0, 8, 1, 0, 0, 0, 0, 0, 1795731412755, 1795731412755);
SELECT pg_catalog.setval('public.address_lists_id_seq', 1, false);
SELECT pg_catalog.setval('public.audit_log_id_seq', 4, true);
SELECT pg_catalog.setval('public.bulk_act_pieces_id_seq', 1, true);
SELECT pg_catalog.setval('public.bulk_acts_id_seq', 1, true);
SELECT pg_catalog.setval('public.change_log_id_seq', 6, true);
SELECT pg_catalog.setval('public.consent_changes_id_seq', 1, true);
SELECT pg_catalog.setval('public.custom_fields_id_seq', 2, true);
SELECT pg_catalog.setval('public.discarded_tags_id_seq', 1, false);
SELECT pg_catalog.setval('public.events_id_seq', 1, true);
SELECT pg_catalog.setval('public.file_pieces_id_seq', 1, false);
SELECT pg_catalog.setval('public.file_uploads_id_seq', 1, false);
SELECT pg_catalog.setval('public.import_batches_id_seq', 4, true);
SELECT pg_catalog.setval('public.imported_files_id_seq', 1, false);
SELECT pg_catalog.setval('public.imports_id_seq', 4, true);
SELECT pg_catalog.setval('public.keys_id_seq', 1, true);
SELECT pg_catalog.setval('public.logged_erasures_id_seq', 2, true);
SELECT pg_catalog.setval('public.moved_addresses_id_seq', 1, false);
SELECT pg_catalog.setval('public.one_time_links_id_seq', 1, true);
SELECT pg_catalog.setval('public.operators_id_seq', 1, true);
SELECT pg_catalog.setval('public.refused_rows_id_seq', 1, false);
SELECT pg_catalog.setval('public.reports_id_seq', 10, true);
SELECT pg_catalog.setval('public.schema_migration_id_seq', 23, true);
SELECT pg_catalog.setval('public.segments_id_seq', 1, true);
SELECT pg_catalog.setval('public.sessions_id_seq', 1, false);
SELECT pg_catalog.setval('public.sites_id_seq', 1, true);
SELECT pg_catalog.setval('public.subscribers_id_seq', 11, true);
SELECT pg_catalog.setval('public.suppressions_id_seq', 3, true);
SELECT pg_catalog.setval('public.tags_id_seq', 3, true);
SELECT pg_catalog.setval('public.undos_id_seq', 1, false);
SELECT pg_catalog.setval('public.webhook_deliveries_id_seq', 1, false);
SELECT pg_catalog.setval('public.webhooks_id_seq', 1, true);
ALTER TABLE ONLY public.address_lists
    ADD CONSTRAINT address_lists_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bulk_act_pieces
    ADD CONSTRAINT bulk_act_pieces_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.bulk_acts
    ADD CONSTRAINT bulk_acts_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.change_log
    ADD CONSTRAINT change_log_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.changed_subscribers
    ADD CONSTRAINT changed_subscribers_pkey PRIMARY KEY (subscriber_id, number, site_id);
ALTER TABLE ONLY public.consent_changes
    ADD CONSTRAINT consent_changes_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.custom_fields
    ADD CONSTRAINT custom_fields_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.discarded_tags
    ADD CONSTRAINT discarded_tags_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (domain, site_id);
ALTER TABLE ONLY public.erased_subscribers
    ADD CONSTRAINT erased_subscribers_pkey PRIMARY KEY (subscriber_id, site_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.field_values
    ADD CONSTRAINT field_values_pkey PRIMARY KEY (field_id, folded, label, kind, subscriber_id, site_id);
ALTER TABLE ONLY public.file_pieces
    ADD CONSTRAINT file_pieces_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.file_uploads
    ADD CONSTRAINT file_uploads_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.import_batches
    ADD CONSTRAINT import_batches_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.imported_files
    ADD CONSTRAINT imported_files_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.instance_state
    ADD CONSTRAINT instance_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.key_sites
    ADD CONSTRAINT key_sites_pkey PRIMARY KEY (site_id, key_id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_publishable_key_key UNIQUE (publishable_key);
ALTER TABLE ONLY public.logged_erasures
    ADD CONSTRAINT logged_erasures_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moved_addresses
    ADD CONSTRAINT moved_addresses_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.operator_roles
    ADD CONSTRAINT operator_roles_pkey PRIMARY KEY (site_id, operator_id);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pepper
    ADD CONSTRAINT pepper_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refused_rows
    ADD CONSTRAINT refused_rows_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.segment_counts
    ADD CONSTRAINT segment_counts_pkey PRIMARY KEY (segment_id, day, site_id);
ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.sent_forms
    ADD CONSTRAINT sent_forms_pkey PRIMARY KEY (session_id, form);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.site_counters
    ADD CONSTRAINT site_counters_pkey PRIMARY KEY (site_id);
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_uuid_key UNIQUE (uuid);
ALTER TABLE ONLY public.subscriber_tags
    ADD CONSTRAINT subscriber_tags_pkey PRIMARY KEY (tag_id, subscriber_id, site_id);
ALTER TABLE ONLY public.subscribers
    ADD CONSTRAINT subscribers_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.undo_people
    ADD CONSTRAINT undo_people_pkey PRIMARY KEY (site_id, undo_id, subscriber_id);
ALTER TABLE ONLY public.undos
    ADD CONSTRAINT undos_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id, site_id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id, site_id);
CREATE UNIQUE INDEX address_lists_entry ON public.address_lists USING btree (entry, site_id);
CREATE INDEX address_lists_site_id ON public.address_lists USING btree (site_id);
CREATE INDEX audit_log_at ON public.audit_log USING btree (at);
CREATE INDEX audit_log_site_id_id ON public.audit_log USING btree (site_id, id);
CREATE INDEX audit_log_site_id_subject ON public.audit_log USING btree (site_id, subject);
CREATE INDEX audit_log_typed ON public.audit_log USING btree (site_id) WHERE (typed <> '{}'::text);
CREATE INDEX bulk_act_pieces_bulk_act_id_waiting_id ON public.bulk_act_pieces USING btree (bulk_act_id, waiting, id);
CREATE INDEX bulk_acts_site_id_id ON public.bulk_acts USING btree (site_id, id);
CREATE INDEX bulk_acts_status ON public.bulk_acts USING btree (status);
CREATE INDEX change_log_site_id_id ON public.change_log USING btree (site_id, id);
CREATE INDEX change_log_site_id_number ON public.change_log USING btree (site_id, number) WHERE (count > 0);
CREATE INDEX change_log_site_id_source ON public.change_log USING btree (site_id, source, source_id, id) WHERE (source = ANY (ARRAY['import'::text, 'bulk_act'::text]));
CREATE INDEX changed_subscribers_site_id_part ON public.changed_subscribers USING btree (site_id, part);
CREATE INDEX consent_changes_subscriber_id ON public.consent_changes USING btree (subscriber_id, site_id);
CREATE UNIQUE INDEX custom_fields_key ON public.custom_fields USING btree (key, site_id);
CREATE INDEX custom_fields_site_id ON public.custom_fields USING btree (site_id);
CREATE UNIQUE INDEX discarded_tags_tag_id ON public.discarded_tags USING btree (tag_id, site_id);
CREATE INDEX domains_site_id ON public.domains USING btree (site_id, people);
CREATE INDEX erased_subscribers_site_id_number ON public.erased_subscribers USING btree (site_id, number);
CREATE INDEX erased_subscribers_waiting ON public.erased_subscribers USING btree (site_id) WHERE (waiting = 1);
CREATE INDEX events_site_id_id ON public.events USING btree (site_id, id);
CREATE INDEX events_site_id_type_occurred_at ON public.events USING btree (site_id, type, occurred_at);
CREATE INDEX events_subscriber_id ON public.events USING btree (subscriber_id, site_id, occurred_at, id);
CREATE UNIQUE INDEX events_unique_key ON public.events USING btree (unique_key, type, site_id) WHERE (unique_key IS NOT NULL);
CREATE UNIQUE INDEX file_pieces_file_number ON public.file_pieces USING btree (file, number, site_id);
CREATE INDEX file_uploads_site_id_id ON public.file_uploads USING btree (site_id, id);
CREATE UNIQUE INDEX import_batches_import_id ON public.import_batches USING btree (import_id, first_row, site_id);
CREATE INDEX import_batches_site_id_id ON public.import_batches USING btree (site_id, id);
CREATE INDEX imported_files_digest ON public.imported_files USING btree (site_id, digest);
CREATE UNIQUE INDEX imported_files_import_id ON public.imported_files USING btree (import_id, site_id);
CREATE INDEX imports_receiving ON public.imports USING btree (lease_until) WHERE (status = 'receiving'::text);
CREATE INDEX imports_site_id_created_at ON public.imports USING btree (site_id, created_at);
CREATE INDEX imports_site_id_id ON public.imports USING btree (site_id, id);
CREATE INDEX imports_waiting ON public.imports USING btree (site_id, turn) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX key_sites_key_id ON public.key_sites USING btree (key_id);
CREATE INDEX moved_addresses_site_id_number ON public.moved_addresses USING btree (site_id, number);
CREATE INDEX one_time_links_operator_id ON public.one_time_links USING btree (operator_id);
CREATE INDEX operator_roles_operator_id ON public.operator_roles USING btree (operator_id);
CREATE INDEX refused_rows_address_hash ON public.refused_rows USING btree (address_hash, site_id);
CREATE INDEX refused_rows_import_id ON public.refused_rows USING btree (import_id, site_id);
CREATE INDEX refused_rows_refused_at ON public.refused_rows USING btree (refused_at);
CREATE INDEX reports_segment_id ON public.reports USING btree (segment_id, site_id);
CREATE INDEX reports_site_id_id ON public.reports USING btree (site_id, id);
CREATE UNIQUE INDEX schema_migration_name ON public.schema_migration USING btree (name);
CREATE INDEX segments_site_id_id ON public.segments USING btree (site_id, id);
CREATE INDEX sessions_operator_id ON public.sessions USING btree (operator_id);
CREATE UNIQUE INDEX subscribers_email_key ON public.subscribers USING btree (email_key, site_id);
CREATE INDEX subscribers_site_id_created_at ON public.subscribers USING btree (site_id, created_at, id, updated_at, last_event_at, unsubscribed_at);
CREATE INDEX subscribers_site_id_domain ON public.subscribers USING btree (site_id, substr(email_key, (strpos(email_key, '@'::text) + 1)));
CREATE INDEX subscribers_site_id_first_name ON public.subscribers USING btree (site_id, "left"(lower(first_name), 300)) WHERE (first_name <> ''::text);
CREATE INDEX subscribers_site_id_last_event_at ON public.subscribers USING btree (site_id, last_event_at, created_at, id) WHERE (last_event_at IS NOT NULL);
CREATE INDEX subscribers_site_id_last_name ON public.subscribers USING btree (site_id, "left"(lower(last_name), 300)) WHERE (last_name <> ''::text);
CREATE INDEX subscribers_site_id_unsubscribed_at ON public.subscribers USING btree (site_id, unsubscribed_at, created_at, id) WHERE (unsubscribed_at IS NOT NULL);
CREATE UNIQUE INDEX subscribers_site_id_uuid ON public.subscribers USING btree (site_id, uuid);
CREATE UNIQUE INDEX suppressions_address_hash ON public.suppressions USING btree (address_hash, site_id);
CREATE INDEX suppressions_site_id ON public.suppressions USING btree (site_id);
CREATE UNIQUE INDEX tags_name_key ON public.tags USING btree (name_key, site_id);
CREATE INDEX tags_site_id ON public.tags USING btree (site_id);
CREATE UNIQUE INDEX undos_site_id_source_source_id ON public.undos USING btree (site_id, source, source_id);
CREATE INDEX undos_waiting ON public.undos USING btree (site_id, turn) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX webhook_deliveries_answered ON public.webhook_deliveries USING btree (site_id) WHERE (answer <> ''::text);
CREATE INDEX webhook_deliveries_at ON public.webhook_deliveries USING btree (at);
CREATE INDEX webhook_deliveries_site_id_webhook_id_id ON public.webhook_deliveries USING btree (site_id, webhook_id, id);
CREATE INDEX webhooks_segment_id ON public.webhooks USING btree (segment_id, site_id);
CREATE INDEX webhooks_site_id_id ON public.webhooks USING btree (site_id, id);
ALTER TABLE ONLY public.bulk_act_pieces
    ADD CONSTRAINT bulk_act_pieces_bulk_act_id_site_id_fkey FOREIGN KEY (bulk_act_id, site_id) REFERENCES public.bulk_acts(id, site_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.consent_changes
    ADD CONSTRAINT consent_changes_subscriber_id_site_id_fkey FOREIGN KEY (subscriber_id, site_id) REFERENCES public.subscribers(id, site_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_subscriber_id_site_id_fkey FOREIGN KEY (subscriber_id, site_id) REFERENCES public.subscribers(id, site_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.import_batches
    ADD CONSTRAINT import_batches_import_id_site_id_fkey FOREIGN KEY (import_id, site_id) REFERENCES public.imports(id, site_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.key_sites
    ADD CONSTRAINT key_sites_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.key_sites
    ADD CONSTRAINT key_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.one_time_links
    ADD CONSTRAINT one_time_links_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operator_roles
    ADD CONSTRAINT operator_roles_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operator_roles
    ADD CONSTRAINT operator_roles_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refused_rows
    ADD CONSTRAINT refused_rows_import_id_site_id_fkey FOREIGN KEY (import_id, site_id) REFERENCES public.imports(id, site_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reports
    ADD CONSTRAINT reports_segment_id_site_id_fkey FOREIGN KEY (segment_id, site_id) REFERENCES public.segments(id, site_id);
ALTER TABLE ONLY public.sent_forms
    ADD CONSTRAINT sent_forms_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_segment_id_site_id_fkey FOREIGN KEY (segment_id, site_id) REFERENCES public.segments(id, site_id);
