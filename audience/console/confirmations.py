"""The line at the top of a page after an action on operators or one's account, or for a form sent twice or
late.

The path to which an action leads names its line in the query: only these sentences can be shown.
"""

SENTENCES = {
    "role": "The role was given. That operator’s sessions have ended, and they sign in again.",
    "no-role": "The role was taken away. That operator’s sessions have ended.",
    "own-role": "You changed your own role, which ended your sessions: sign in again.",
    "administrator": "That operator is an administrator now. Their sessions have ended: they sign in again.",
    "no-administrator": "That operator is no longer an administrator. Their sessions have ended.",
    "removed": "The operator was removed. The audit log keeps the name.",
    "email": "Your address was saved.",
    "password": "Your password was set. Your other sessions have ended.",
    "links": "New links are made from now on. Old ones go on unsubscribing, and do no more.",
    "links-ended": "All links made before have ended. Put new ones into your next email.",
    "form-made": "The form was made. It takes no sign-ups before you open it.",
    "form-saved": "The form was saved. Visitors see it once it is open.",
    "form-live": "The form was saved, and its page is live as it is now.",
    "form-reworded": "The form was saved and is live. The wording has a new version: paste the HTML anew.",
    "form-opened": "The form is open: its page takes sign-ups.",
    "form-paused": "The form is paused. Its page says so, and emails that were sent can still be confirmed.",
    "form-archived": "The form is archived. Its page says that there are no sign-ups.",
    "event-on": "The limits of networks are lifted for a day.",
    "event-off": "The limits of networks count again.",
    "pages": "The pages and the sender were saved. They are live.",
    "asked": "The email waits for the mail server.",
    "sent-again": "The email waits for the mail server.",
    "sign-up-deleted": "The sign-up was deleted. Its link confirms nothing any more.",
    "released": "What was on hold goes to the mail server now.",
    "failed-sent-again": "What failed is sent again, but to mailboxes that have had theirs for now.",
    "discarded": "What was on hold was deleted.",
    "added": "The person was added.",
    "added-unsubscribed": "Somebody had unsubscribed under this address: the person was added unsubscribed.",
    "tag-renamed": "The tag has its new name.",
    "tag-merged": "The subscribers of the tag get the other one.",
    "tag-deleted": "The tag was deleted.",
    "session": "The session was ended.",
    "site-deleted": "A worker deletes the site now. Keys of this site alone are revoked.",
    "ended": "Your session has ended, and what you sent was not taken. Sign in, and send it once more.",
    "again": "This form was sent before: this is what it made. For another, begin a new form.",
    "again-secret": "This form was sent before. Its secret was shown then: make a new one if you missed it.",
}
