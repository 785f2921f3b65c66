import { missCases, plantedCases } from "./cases.ts";

/**
 * A second set, written by somebody who had not read the reviewer, after it was done: `type | about | text`. On its first run precision 0.91
 * and recall 0.84 (0.93 and 0.78 of what would be proposed); it has been development material since.
 */
export const BLIND_CORRECTIONS = plantedCases(`
stop | apologising | Could you stop apologising in every message? It adds nothing.
less | verbose | You are way too verbose, cut it down from now on.
start | run the linter | Always run the linter before you hand something over to me.
stop | rewrite whole files | Please don't rewrite whole files when I ask for a one line change.
more | more context | I need more context when you report an error, not just the message.
keep | short summaries | The short summaries at the top are great, keep them coming.
stop | restarting the server | I've told you twice now: never restart the server without asking me.
start | metric units | In future use metric units, please.
less | questions | fewer questions please, just make a reasonable choice and go on
stop | marketing language | Cut out the marketing language.
start | cite | You should cite the file and line whenever you claim something about the code.
stop | exclamation marks | enough with the exclamation marks
start | plain English | From here on, explain things in plain English before showing code.
stop | commit directly to main | do not commit directly to main, ever
more | tests | I'd like to see more tests in what you write.
less | status updates | The status updates are too frequent, once an hour is plenty.
stop | guessing | Stop guessing when you don't know, just say so.
start | ask me before | ask me before you install new packages
keep | asking before deleting | I really like that you ask before deleting anything, please continue doing that.
stop | translate my messages | Don't translate my messages back to me.
start | attach screenshots | whenever you change the UI, attach screenshots of it
less | formal | be less formal with me
stop | repeating my question | you keep repeating my question back at me, please stop that
start | reply in Spanish | answer me in Spanish from now on
more | concise | Try to be more concise in your replies.
stop | touching the tests | why are you touching the tests again? leave the tests alone, I said that yesterday already
start | two spaces | for this project always indent with two spaces
stop | send emails | Never send emails on my behalf without showing me the draft first.
less | jargon | less jargon please, my team can't follow you
keep | tables | tables like that one are exactly what I want, keep using them
start | timestamps | Please start including timestamps in your log excerpts.
stop | TODO comments | no more TODO comments in finished code
stop | using sudo | Next time don't use sudo for that.
start | estimate | before a long job, give me an estimate of how long it will take
less | long paragraphs | Your paragraphs are too long. Shorter ones, please.
stop | calling me | stop calling me boss lol
more | detail | I want a lot more detail in the release notes you write
start | check the calendar | remember to check the calendar before proposing a time
stop | closing tickets | You must not close tickets yourself, that's for QA.
stop | say done | don't say you're done when the build is red
start | bullet list | give me bullet lists instead of prose when there are more than three options
less | noise | There's too much noise in these reports, only tell me what changed.
keep | tone | keep this tone, it works well with our customers
stop | auto-format | Please quit auto-formatting files you are not editing.
start | changelog | every time you finish a feature, update the changelog as well
more | push back | push back more when I ask for something stupid
stop | wrapping up | I don't want you wrapping up every answer with a follow-up question.
start | confirm | Going forward, confirm the target environment before any deploy.
stop | speculative | no speculative refactoring. I keep having to say this.
less | overly cautious | You're being overly cautious, you don't have to double check trivial edits with me.
`);

export const BLIND_MISSES = missCases(String.raw`
question | Why do you always run the linter before answering?
question | Should we stop using Redis for this?
question | Do you keep a log of what you did?
question | Is it better to answer shorter or longer for this audience?
question | can you stop the dev server and start it again?
task | stop the container and delete its volume
task | Make the paragraph on pricing shorter.
task | Write fewer tests for the parser, three are enough.
task | keep the old endpoint until Friday, then remove it
task | Start the migration at nine.
task | please add more padding to the left column
task | translate this page to Spanish
task | Never mind, use the other branch.
task | Don't forget to attach the invoice to this mail.
task | remove the exclamation marks from the headline
task | send the report to Dana and stop there for today
quote | My manager wrote: "stop sending status updates every hour". What should I reply?
quote | > please keep your answers shorter\nI got this from a customer, how do we react?
quote | The docs say "never run this as root", is that still true?
quote | He told me to always use tabs. I disagree.
quote | Here is the feedback from the survey: "less jargon, more examples". Summarise it.
code | \`\`\`\n# always run tests first\nstop_server()\n\`\`\`\nWhat does this script do?
code | The log says: WARN never call close twice
code | the function is called stopSendingUpdates, rename it
code | // don't use var here\nconst x = 1;\nWhy is there a comment about var?
praise | Perfect, thanks!
praise | nice one
praise | That was quick, wow.
praise | great work today
praise | Exactly what I was looking for.
product | Our users should always confirm before deleting an account.
product | The bot on our site must never ask for a password.
product | In our style guide, headlines are kept short.
product | The newsletter should be less formal, can you draft one?
product | customers keep asking for more detail in the invoices
product | The app stops sending notifications after a while.
hypothetical | If you stopped after the first error, what would happen?
hypothetical | I was thinking whether shorter answers would help new users.
hypothetical | Suppose we never deploy on Fridays, how many releases would we lose?
third | Tom always runs the tests before pushing.
third | My old assistant used to send too many reports.
third | The intern keeps forgetting to update the changelog.
negated | no, don't stop, go on
negated | You don't need to change anything.
negated | I'm not saying you should write less.
statement | I have less time today.
statement | There are more errors than yesterday.
statement | I'll keep it in mind.
statement | We started using Postgres last year.
statement | The meeting was too long.
`);
