"""The labels of a form on an owner's own page, and the wording that is proposed to its owner."""

from types import MappingProxyType
from typing import NamedTuple


class FormWords(NamedTuple):
    """The texts in one language. In `wording`, `{name}` stands for the sender's public name."""

    email: str
    first_name: str
    last_name: str
    sign_up: str
    privacy: str
    wording: str


WORDS = MappingProxyType(
    {
        "en": FormWords(
            "Email", "First name", "Last name", "Sign up", "Privacy",
            "By signing up you agree that {name} may send you emails. You can unsubscribe at any time "
            "with the link in every email.",
        ),
        "de": FormWords(
            "E\u2011Mail", "Vorname", "Nachname", "Anmelden", "Datenschutz",
            "Mit der Anmeldung stimmen Sie zu, dass {name} Ihnen E\u2011Mails schickt. Sie können sich "
            "jederzeit über den Link in jeder E\u2011Mail abmelden.",
        ),
        "es": FormWords(
            "Correo electrónico", "Nombre", "Apellidos", "Suscribirme", "Privacidad",
            "Al suscribirse acepta que {name} le envíe correos. Puede darse de baja en cualquier momento con "
            "el enlace que hay en cada correo.",
        ),
        "fr": FormWords(
            "Adresse e\u2011mail", "Prénom", "Nom", "S’inscrire", "Confidentialité",
            "En vous inscrivant, vous acceptez que {name} vous écrive par e\u2011mail. Vous pouvez vous "
            "désinscrire à tout moment grâce au lien présent dans chaque e\u2011mail.",
        ),
        "it": FormWords(
            "Email", "Nome", "Cognome", "Iscriviti", "Privacy",
            "Iscrivendosi accetta che {name} le invii email. Può annullare l’iscrizione in qualsiasi momento "
            "con il link presente in ogni email.",
        ),
        "nl": FormWords(
            "E\u2011mail", "Voornaam", "Achternaam", "Inschrijven", "Privacy",
            "Met uw inschrijving stemt u ermee in dat {name} u e\u2011mails stuurt. U kunt zich op elk "
            "moment uitschrijven met de link in elke e\u2011mail.",
        ),
        "pt": FormWords(
            "Email", "Nome próprio", "Apelido", "Inscrever-me", "Privacidade",
            "Ao inscrever-se, aceita que {name} lhe envie emails. Pode cancelar a inscrição a qualquer "
            "momento com a ligação que está em cada email.",
        ),
    }
)  # fmt: skip
