"""The line at the top of a page after an action on operators or one's account, or for a form sent twice or
late.

The path to which an action leads names its line in the query: only these sentences can be shown.
"""

SENTENCES = {
    "role": "The role was given. That operator’s sessions have ended, and they have to sign in again.",
    "no-role": "The role was removed. That operator’s sessions have ended.",
    "own-role": "You changed your own role, which ended your sessions: sign in again.",
    "administrator": "That operator is an administrator now. Their sessions have ended, and they have to "
    "sign in again.",
    "no-administrator": "That operator is no longer an administrator. Their sessions have ended.",
    "removed": "The operator was removed. The audit log keeps the name.",
    "email": "Your address was saved.",
    "password": "Your password was set. Your other sessions have ended.",
    "two-factor-off": "Two-factor sign-in is off. Your other sessions have ended.",
    "set-up-first": "Set up two-factor sign-in first. Nothing that you sent was carried out.",
    "links": "From now on, new links are made. Old links still unsubscribe, but do nothing else.",
    "links-ended": "All earlier links have stopped working. Put new ones into your next email.",
    "form-made": "The form was made. It takes no sign-ups until you open it.",
    "form-saved": "The form was saved. Visitors see it once it is open.",
    "form-live": "The form was saved, and its page shows the changes now.",
    "form-reworded": "The form was saved and is live. The wording has a new version: paste the HTML again.",
    "form-opened": "The form is open: its page takes sign-ups.",
    "form-paused": "The form is paused. Its page says so, and emails that were sent can still be confirmed.",
    "form-archived": "The form is archived. Its page says that it takes no sign-ups.",
    "event-on": "For a day, the number of sign-ups from one network is not limited.",
    "event-off": "The number of sign-ups from one network is limited again.",
    "pages": "The pages and the sender were saved, and are in use now.",
    "asked": "The email waits for the mail server.",
    "sent-again": "The email waits for the mail server.",
    "sign-up-deleted": "The sign-up was deleted. Its link no longer works.",
    "released": "Emails that were on hold are sent now.",
    "failed-sent-again": "The failed emails are being sent again, except to mailboxes that have reached "
    "their limit.",
    "discarded": "Sign-ups that were on hold were deleted.",
    "added": "The person was added.",
    "added-unsubscribed": "Somebody with this address had unsubscribed before: the person was added as "
    "unsubscribed.",
    "field-added": "The site has the custom field: forms and imports can use it.",
    "tag-renamed": "The tag has its new name.",
    "tag-merged": "The subscribers of the tag are getting the other tag instead.",
    "tag-deleted": "The tag was deleted.",
    "session": "The session was ended.",
    "site-deleted": "A worker is deleting the site now. Keys that are for no other site are revoked.",
    "ended": "Your session had ended, and what you sent was not saved. Sign in, and send it again.",
    "again": "This form was sent before, and this page shows what it created. To create another, open a new "
    "form.",
    "again-secret": "This form was sent before, and the secret was shown then. Make a new one if you no "
    "longer have it.",
}
