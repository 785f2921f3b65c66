import { missCases, plantedCases } from "./cases.ts";

/** Development cases, direct ones of other trades: `type | about | text`. Scored before anything was changed for them. */
export const EIGHTH_CORRECTIONS = plantedCases(`
stop | pressuring | Don't pressure customers into upgrades.
stop | semicolons | I don't like semicolons in chat messages, please avoid them.
stop | auto-replying | Please stop auto-replying to my mother.
stop | force push | never ever force push
stop | fake deadlines | No more fake deadlines.
stop | rhetorical | Skip the rhetorical questions.
stop | storing | You are not allowed to store credit card numbers.
stop | cliches | cut the cliches
stop | answer for me | Don't answer on my behalf.
stop | third-party | please don't use third-party scripts unless I approve them
stop | bothering | stop bothering the night shift with minor alerts
stop | changing prices | Prices are set by finance, so don't change them.
stop | one-word | One-word answers don't help me, stop that.
stop | retrying forever | Don't keep retrying forever when a site is down.
stop | politics | Leave politics out of it, always.
stop | half sentences | I can't stand it when you write half sentences.
stop | raw JSON | I don't need raw JSON in the chat.
stop | interrupting | you keep interrupting my focus time
stop | discounts | Do not offer discounts without approval from sales.
stop | apologize | no need to apologize every time
less | pages | Ten pages is too much for a brief, two are plenty.
less | wordy | Your tickets are wordy. Tighten them.
less | pop culture | fewer pop culture references please
less | text | Less text on your slides.
less | strict | You're too strict when grading essays.
less | notifications | way too many notifications from you
less | speak | use simpler words with patients
less | options | Don't give me so many options.
less | long | Shorten your subject lines.
less | repeat | You repeat yourself a lot, try to do that less.
start | allergies | Check for allergies before suggesting a recipe.
start | patient | Always ask the patient's age first.
start | receipts | please file receipts by month
start | confirm by mail | Confirm every booking by mail.
start | hand over | If a customer gets angry, hand over to me.
start | lowercase | file names in lowercase please
start | metric | We're a metric company, so use metric units.
start | record | Record the reason whenever you reject an application.
start | translate | translate technical terms for the parents
start | page | I want page numbers on everything you print.
start | second opinion | Get a second opinion before you change a dosage.
start | logs | Attach the logs when you escalate a ticket.
start | introduce | When you join a call, introduce yourself.
start | local time | Please use local time in invitations.
start | proofread | Proofread everything twice before it goes out.
start | note | Going forward please note who approved what.
start | own words | use your own words instead of quoting the manual
start | weekly | send me a weekly overview every Friday
start | follow up | Wait at least a minute before you follow up.
start | signature | Add our signature to all outgoing mail.
start | examples | Back up every claim with an example.
start | respectful | Treat every student with respect.
start | archive | archive mails once they are answered
start | teach | Teach me instead of just giving the answer.
start | version | you must state the version in every bug report
more | patience | Show more patience with beginners.
more | data | I want to see more data behind your recommendations.
more | encouragement | A little more encouragement for the students would be good.
more | regular | I'd prefer more regular updates.
more | precise | be more precise about quantities in recipes
more | vague | Your feedback is too vague.
keep | charts | The charts you add are fantastic, keep them.
keep | weekly plan | I like the weekly plan you send on Sundays.
keep | gentle | you're so gentle with the kids, please stay that way
keep | quick replies | Love your quick replies. Keep it up!
keep | spelling out | continue spelling out abbreviations, that helps
keep | second check | I'm glad you double-check my numbers.
`);

export const EIGHTH_MISSES = missCases(String.raw`
question | Is ten pages too much for a brief?
question | Do patients prefer simple words?
question | Why do you retry forever?
question | can students repeat the exam?
question | Would a weekly overview help?
question | Are semicolons okay in French?
question | when do I get the receipts?
question | Could we offer discounts without approval?
task | file these receipts under March
task | Confirm the booking for the Hilton.
task | Translate the letter for the parents.
task | Attach the logs to the ticket.
task | proofread the flyer
task | Check the recipe for nuts.
task | wait a minute
task | send me the overview for week 12
task | Introduce yourself to the new team.
task | Archive the mails from last year.
task | shorten the subject line of this mail
task | Use local time in this invitation.
task | give the student a second chance
task | Offer her a discount of ten percent.
task | don't answer that mail, I'll do it myself
task | Don't use the oven, use the pan.
task | stop at the next red light in the simulation
task | add a page number to the cover
task | write more about the second experiment
task | Leave the door open when you go.
task | simpler words in the third sentence please
task | Teach me the basics of chess.
task | keep the soup warm
task | no onions on the second pizza
task | record the meeting at four
task | make the essay less strict
quote | The note from the school says children must never share lunch.
quote | "Treat every guest with respect", says the poster in our lobby.
quote | Finance wrote: don't change prices before June
quote | Her feedback: too vague, more data. Fair?
quote | Our policy states that discounts are never combined.
code | MAX_RETRIES = 3  # never retry forever
code | the method is called stopAutoReply
code | "always": true in the settings
code | error TS2304: cannot find name 'keep'
praise | Nice charts!
praise | That recipe was fantastic.
praise | I like the plan.
praise | wow, quick reply
praise | well done, the parents were happy
product | The oven never gets hot enough.
product | Our forms should use simpler words.
product | Patients must always sign the form.
product | The school app sends too many notifications.
product | All outgoing mail has a signature.
product | The exam was too strict.
product | the simulator keeps crashing at level two
third | The nurse always asks for the age first.
third | My students never proofread their essays.
third | Parents want more regular updates.
third | Our accountant wants receipts by month.
third | the night shift complains about minor alerts
hypothetical | If customers got angry, who would take over?
hypothetical | What would happen if you never followed up?
hypothetical | I wonder if fewer options would sell better.
negated | I'm not telling you to use simpler words.
negated | Don't stop on my account, go on.
negated | you don't have to repeat it
statement | I already have too many receipts.
statement | I need a second opinion on my knee.
statement | My mother sends me a weekly letter.
statement | I repeat myself a lot, sorry.
statement | We use metric units in the lab.
statement | I love Sundays.
statement | There's no discount this month.
statement | I stopped the oven.
statement | No answer from finance so far.
`);
