import { missCases, plantedCases } from "./cases.ts";

/** What the tests of the reviewer name word for word: development, and weighed more than the rest. `type | about | text`. */
export const TESTED_CORRECTIONS = plantedCases(`
stop | stop sending me status updates every five minutes | stop sending me status updates every five minutes
stop | I told you not to push without running the tests | I told you not to push without running the tests
stop | again: no emojis | again: no emojis
stop | pls dont change my settings without asking | pls dont change my settings without asking
stop | Can you please stop signing off with your name | Can you please stop signing off with your name?
stop | I'd appreciate it if you stopped using nicknames | I'd appreciate it if you stopped using nicknames
stop | Spare me the flattery | Spare me the flattery.
stop | stop saying "sorry" in every message | stop saying "sorry" in every message
stop | Why do you keep adding docstrings | Why do you keep adding docstrings?
less | please keep your answers shorter | please keep your answers shorter
less | less detail next time | less detail next time
less | don't apologise so much | don't apologise so much
less | too long | that was too long
less | Tone down the enthusiasm please | Tone down the enthusiasm please
more | Your answers are too terse, I can't follow | Your answers are too terse, I can't follow
more | check in with me more often | check in with me more often
more | be more careful when you edit shared config | be more careful when you edit shared config
start | you should always ask before deleting | you should always ask before deleting
start | from now on reply in German | from now on reply in German
start | I'd appreciate it if you listed the steps before running them | I'd appreciate it if you listed the steps before running them
start | Whenever you delete something, ask first | Whenever you delete something, ask first.
start | Please call me Alex | Please call me Alex
start | you keep forgetting to update the lockfile | you keep forgetting to update the lockfile
keep | I love the short summaries, keep doing that | I love the short summaries, keep doing that
keep | I really like that you ask before you push | I really like that you ask before you push
keep | commit messages | Your commit messages are perfect. Keep it up!
keep | don't stop sending me the overview | don't stop sending me the overview
keep | this format is great, please stick to it | this format is great, please stick to it
keep | I'm glad you warn me before expensive queries | I'm glad you warn me before expensive queries
stop | leave my drafts alone | leave my drafts alone
stop | nothing goes out to a client without my okay | nothing goes out to a client without my okay
stop | force pushing is off limits | force pushing is off limits
stop | I don't want branches deleted without a heads-up | I don't want branches deleted without a heads-up.
stop | speculative refactoring | no speculative refactoring. I keep having to say this.
stop | deleted my branch | You deleted my branch. Don't do that again.
stop | deploy on Fridays | We don't deploy on Fridays. Please respect that.
stop | Abbreviations confuse me, please avoid them | Abbreviations confuse me, please avoid them.
start | Every change goes on its own branch | Every change goes on its own branch.
start | You need my approval before spending money | You need my approval before spending money.
start | for this project always indent with two spaces | for this project always indent with two spaces
start | dates in ISO format please | dates in ISO format please
start | Metric, not imperial | Metric, not imperial.
start | take a backup before you touch the database | take a backup before you touch the database
less | I struggle with your long answers | I struggle with your long answers.
less | Two options are enough, you don't need to give me ten | Two options are enough, you don't need to give me ten.
less | You're overly optimistic with your estimates | You're overly optimistic with your estimates.
less | Can your summaries be shorter | Can your summaries be shorter?
`);

export const TESTED_MISSES = missCases(String.raw`
question | why do you always run the tests first?
question | should I stop the server?
question | how do I make git stop asking for a password
question | can you always trust the cache?
task | stop the server
task | write a shorter function
task | make the header less wide
task | keep the old config
task | don't deploy yet
task | when you're done, push the branch
reported | my boss said stop sending reports
reported | According to the handbook you must always wear a helmet
praise | perfect!
praise | great work, keep it up
hypothetical | if you stopped sending me updates, would I miss anything?
hypothetical | suppose you always answered in rhymes
negated | don't stop
negated | I'm not asking you to be shorter
third-party | users should always log in first
third-party | our app sends too many notifications
sarcasm | oh great, please keep sending me more emails
task | leave the second paragraph as it is
task | keep out the third column
task | no trailing comma in line 12 please
product | nothing is saved without a click on OK
product | Comments are not allowed in JSON.
product | Every order needs an invoice number.
task | take a backup of the database
task | sort by date, not by name
third-party | Tom always runs the tests before pushing.
third-party | I struggle with your backlog tool.
task | one example is enough for the slide
question | Could the chart be bigger?
another-language | bitte hör auf mir ständig Updates zu schicken
`);
