import { missCases, plantedCases } from "./cases.ts";

/** Development cases, direct ones: `type | about | text`. Scored before anything was changed for them. */
export const SEVENTH_CORRECTIONS = plantedCases(`
stop | numbering | Stop numbering every paragraph.
stop | contractions | Please avoid contractions in formal letters.
stop | making up | you made up a library again, please don't do that
stop | asking for confirmation | You don't need to ask for confirmation on small changes.
stop | deleting logs | never delete logs, even if they look old
stop | sharing my phone number | Do not share my phone number with anyone.
stop | passive voice | No passive voice.
stop | commenting out code | stop commenting out code, just delete it
stop | tagging | Quit tagging me in every thread.
stop | hedging | Enough hedging. Give me a straight answer.
stop | dad jokes | I don't want any more dad jokes.
stop | reschedule | Please do not reschedule my appointments without asking me first.
stop | mixing languages | Don't mix languages in one message.
stop | calling me sir | There's no need to call me sir.
stop | opening new tabs | it's really annoying that you open new tabs all the time
stop | starting with "Great question" | Don't start your answers with "Great question".
stop | blindly agree | don't blindly agree with me
stop | mocking the database | I told you not to mock the database.
less | long | Your emails are too long, nobody reads them.
less | slides | fewer slides next time
less | explanation | I need less explanation and more code.
less | frequent | Please post updates less frequently.
less | flowery | Your language is too flowery.
less | verbosity | reduce the verbosity of your reports
less | two sentences | Keep your answers to two sentences.
less | aggressive | be less aggressive with your refactorings
less | disclaimers | too many disclaimers
less | acronyms | You use a lot of acronyms, please cut down on them.
start | greet | Always greet the customer by name.
start | read the ticket | read the whole ticket before you start working on it
start | mention the risks | In future, mention the risks of every option.
start | test on mobile | whenever you change the layout test it on mobile too
start | ask first | Ask first, act later.
start | UTC | Use UTC for all timestamps.
start | conventional commits | Follow conventional commits.
start | explain acronyms | You should explain acronyms the first time you use them.
start | send the agenda | please send the agenda a day before each meeting
start | cite sources | I expect you to cite your sources.
start | update the docs | Don't forget to update the docs when you change the API.
start | run the tests | I want you to run the tests before every commit.
start | tell me the cost | tell me the cost before you start an expensive job
start | type annotations | From now on add type annotations to all new functions.
start | language | Please reply to customers in the language they write in.
start | Lena | Call me Lena, not Mrs. Berger.
start | checklist | Before a release, go through the checklist.
start | log out | make sure you log out after every session
more | details | Please add more details to your bug reports.
more | careful | be more careful with my data
more | screenshots | I'd like more screenshots in your guides.
more | frequently | Report back more frequently.
more | friendly | You could be friendlier to new customers.
more | depth | go into more depth when you explain math
keep | daily digest | The daily digest is very helpful, keep sending it.
keep | asking | keep asking questions when something is unclear
keep | code comments | I really like your code comments.
keep | structure | I love how you structure your answers, keep doing that
keep | humour | Your humour is great, please keep it.
`);

export const SEVENTH_MISSES = missCases(String.raw`
question | Do you stop when the budget is used up?
question | Should the docs be shorter?
question | why do you never use semicolons?
question | Is it rude to call someone sir?
question | how often do you send the digest?
question | Can you use UTC for all timestamps in Postgres?
question | what are conventional commits?
question | Are there too many slides in this deck?
question | Who told you to delete the logs?
question | Do I need to greet every customer?
task | stop the music
task | Add two slides about pricing.
task | delete the old logs
task | Call Lena at five.
task | read the ticket and tell me what it is about
task | send the agenda to the team
task | please update the docs for the new endpoint
task | Go through the checklist with me.
task | reduce the image size to 200 KB
task | use a different font for the headline
task | Don't book the early flight, take the one at noon.
task | less text on slide four
task | Please add more details to the second bullet.
task | make the second chart larger
task | Report the bug to the maintainers.
task | test it on mobile too
task | mention the risks in the summary for Tom
task | Rewrite this so that it sounds less aggressive.
task | keep both versions for now
task | explain the math behind this
task | open a new tab
task | log out after this
task | start the stream and stop it after ten minutes
quote | The customer complains: "your emails are too long".
quote | "Never delete logs" is rule number one in the handbook.
quote | My editor said no passive voice in chapter two.
quote | On the door it says: please ring twice
quote | He wrote "call me Lena" at the end, is that a typo?
code | logger.stop() is never called
code | // always close the file
code | git log --oneline | less
code | The variable keepAsking is unused.
praise | Thanks, very helpful!
praise | Great answer.
praise | I like this plan.
praise | that was fast
praise | lovely, thank you
product | The app should greet the user by name.
product | Our support must reply within a day.
product | The form asks too many questions.
product | The site uses too many cookies.
product | logs are deleted after 30 days
product | The assistant in the game never sleeps.
third | My brother never reads the instructions.
third | The lawyer wants fewer changes in the contract.
third | Lena always forgets the agenda.
third | the sales team calls customers too often
hypothetical | If you asked fewer questions, we'd be done by now?
hypothetical | Suppose customers want more screenshots.
negated | You don't have to stop.
negated | I never said your emails are too long.
negated | it's fine, no changes needed
statement | I read the whole ticket yesterday.
statement | I need more sleep.
statement | The slides are too dark.
statement | We always test on mobile before a release.
statement | I'll send fewer messages tomorrow.
statement | The meeting starts at ten, don't be late.
statement | My phone number is on the card.
statement | there are fewer bugs now
`);
