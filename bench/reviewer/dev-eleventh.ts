import { missCases, plantedCases } from "./cases.ts";

/** Development cases, again of many trades and tempers: `type | about | text`. */
export const ELEVENTH_CORRECTIONS = plantedCases(`
stop | semicolon jokes | Please stop making jokes in code review comments.
stop | push on Fridays | Don't push to production on Fridays, I've said this before.
stop | renaming files | You renamed files again without telling me. Don't do that.
stop | headings in all caps | Stop writing headings in all caps.
stop | my password | Never ask me for my password.
stop | rhetorical | I don't need rhetorical questions in my reports.
stop | generating images | Stop generating images when I only asked for text.
stop | cc my boss | please don't cc my boss on everything
stop | accept meeting invites | You shouldn't accept meeting invites on my behalf.
stop | "I hope this" | Don't open emails with "I hope this finds you well".
stop | commented-out | no commented-out code in commits please
stop | touching vendored | Don't touch the vendored code, ever.
stop | hand-wavy | Enough hand-wavy answers, give me something concrete.
stop | reminding me | You can stop reminding me to drink water, thanks.
stop | using tabs | stop using tabs, this repo uses spaces
stop | fake citations | No made-up citations, please. If you have none, say so.
stop | my first name | I'd prefer you didn't use my first name with clients.
stop | run migrations | You must never run migrations without a backup.
stop | guess dates | Don't guess dates. If you don't know one, ask.
stop | bold every | Quit bolding every other word.
stop | suggesting meds | Please refrain from suggesting medication to patients.
stop | unsolicited feedback | I didn't ask for feedback on my writing style, please stop giving it.
stop | editing generated | Generated files are not to be edited by hand.
stop | please stop | You've apologised five times in this thread. Please stop.
stop | any type | No more any types in our TypeScript code.
stop | mentioning price | Never mention our internal prices to customers.
stop | booking Ryanair | Don't book Ryanair for me anymore.
stop | emoji in tickets | we don't use emoji in tickets, so please leave them out
stop | deleting my notes | it really bugs me when you delete my notes
stop | drafts after 9 pm | No drafts after 9 pm, I can't sleep when I see them.
stop | answer in rhymes | Can you stop answering in rhymes? It was funny once.
stop | closing issues | Don't close issues just because they're old.
stop | log in as root | logging in as root is strictly forbidden
stop | correct my grammar | I'd appreciate it if you didn't correct my grammar in chats.
less | verbose commit | Your commit messages are far too verbose, one line is enough.
less | shorter emails | Can you write shorter emails? People don't read beyond the first paragraph.
less | apologise less | Please apologise less.
less | fewer bullet points | fewer bullet points and more normal sentences please
less | technical | You get too technical with the sales team, tone it down.
less | long summaries | Summaries of ten paragraphs aren't summaries. Keep them to five sentences.
less | chatty | Be less chatty in the mornings.
less | notifications | I get way too many notifications from you during the day.
less | formal | You don't have to be so formal with my friends.
less | code comments | There are too many comments in the code you write, cut back on them.
less | caveats | Less caveats, more answers.
less | slow down | You send messages faster than I can read them, slow down a bit.
less | options | give me fewer options, I can't decide between eight
less | exclamation | Please use fewer exclamation points in customer emails.
less | background info | I know the history of the project, so less background info in your updates.
less | dramatic | Stop being so dramatic about small warnings.
less | questions | You ask too many clarifying questions for simple tasks.
less | reports | The reports are too detailed for the board, make them shorter from now on.
less | adjectives | Go easy on the adjectives.
less | too many boxes | Your diagrams have too many boxes, simplify them in future.
less | salesy | The newsletter drafts you write sound too salesy, please dial it down.
less | pull request size | Smaller pull requests, please.
less | quotes | I'd like you to quote less from the documentation.
less | half a page max | Half a page max for status reports.
more | detail | Please give more detail when something fails.
more | comments | Your SQL needs more comments, nobody understands it.
more | examples | I learn best from examples, so include more of them.
more | careful | Be more careful with customer names, you misspelled three today.
more | updates | I'd like to get more frequent updates on long jobs.
more | sources | You should cite more sources.
more | explain | Explain your choices more, please.
more | proactive | I want you to be more proactive about expiring certificates.
more | tests | Write more edge case tests.
more | specific | Could you be more specific in your error reports?
more | structure | Your long answers need more structure, headings or something.
more | sound warmer | Try to sound warmer when you reply to complaints.
more | more visuals | More visuals in the slides, they are too dull.
more | precise | you need to be more precise with time estimates
more | links | Add more internal links to the articles you write.
more | double-check | Double-check your numbers more often, two were off again.
more | critical | I want you to be more critical when you review my essays.
more | context | when you paste an error, give a bit more context around it
start | cite line | Always cite the file and line when you talk about code.
start | metric | Use metric units in all recipes, please.
start | ask before | From now on ask before you delete anything.
start | run tests | Run the tests before you say you're done.
start | German | Please answer in German from now on.
start | two spaces | Indent with two spaces.
start | changelog | Every release needs a changelog entry.
start | confirm | Next time confirm the address before ordering.
start | ISO | Dates should be in ISO format.
start | show diff | Show me the diff before you commit.
start | call me | Call me Sam, not Samuel.
start | summary top | Put a one-line summary at the top of each report.
start | branch | Always work on a branch.
start | currency | Please mention the currency whenever you give a price.
start | draft | I want to see a draft before you send anything to the press.
start | time zone | Always include the time zone when you propose a meeting.
start | warn | Warn me before you run anything that costs money.
start | types | Add type annotations to every new function.
start | address clients formally | Please address clients formally.
start | tag | Remember to tag the ticket with the customer's name.
start | check weather | Before you plan a hike check the weather.
start | plain | Write in plain English, my readers are not lawyers.
start | backup | You should make a backup before every update.
start | name files | Name files after the date and the project.
start | kid-friendly | When my daughter is using this, keep everything kid-friendly.
start | log | Log every change you make in CHANGES.md.
start | voice | Use the active voice in our documentation.
start | sorted by due date | I prefer my tasks sorted by due date.
start | title case | For headlines, use title case.
start | wait | Wait for CI to pass before merging.
start | cost first | Tell me the cost first, then the benefits.
start | check every recipe | I'm allergic to nuts, so check every recipe for them.
start | spell | Our name is spelled with two t's, please get that right from now on.
start | escalate | If a customer threatens to sue, escalate to legal immediately.
start | one file | Put each class in its own file.
start | alt | Every image on the site needs alt text, so please add it.
start | reproduce | When someone reports a bug, try to reproduce it first.
start | we write colour | we write colour, not color. British spelling.
start | units | Include units with all numbers.
start | timesheet every Friday | Send me the timesheet every Friday at noon.
start | reply all | reply to all when there are several people on the thread
start | when you're not sure | It would help if you told me when you're not sure.
start | read first | You need to read the contributing guide before opening PRs.
start | linter | make sure the linter passes before you push
start | acknowledge | Acknowledge every support ticket within ten minutes.
start | page | please number the pages of everything you print for me
start | for fish, not bash | Give me commands for fish, not bash.
start | sign-off | Get sign-off from me before publishing.
start | ask me | if something is ambiguous ask me rather than guessing
start | sources | When you make a claim about health, back it with a source.
keep | bullet summary | The bullet summary at the end is great, keep it.
keep | asking first | Thanks for asking first. Keep doing that.
keep | tone | I love the friendly tone in your replies to customers, don't change it.
keep | diagrams | Your diagrams are really helpful, please keep adding them.
keep | short answers | Short answers like this are perfect.  Keep them that way.
keep | explaining why | I really like it when you explain why you chose something.
keep | weekly email | The weekly email is exactly right, please continue with it.
keep | tests with | Good that you always add tests with a fix, keep that up.
keep | table | The table at the top works well, keep using it.
keep | flagging | keep flagging things like this, it's really useful
keep | commit style | I like your commit style, stick with it.
keep | reminders | The reminders before meetings help me a lot, please keep them coming.
keep | options | Always giving me three options is great, carry on.
keep | stay that way | You're very patient with my dad. Please stay that way.
keep | checking | I appreciate that you double-check the invoices.
keep | jokes at the end | The jokes at the end of the newsletter are a hit, keep them.
keep | writing like this | That's a wonderful letter. Always write to my grandmother like this.
keep | previews | Sending me a preview first was spot on. Do it like that every time.
`);

export const ELEVENTH_MISSES = missCases(String.raw`
task | Stop the music at ten.
task | Delete the draft from yesterday.
task | Please rename the file to report.pdf.
task | Write a shorter version of this email.
task | Make the button bigger.
task | Add more salt to the recipe.
task | Could you add a comment to line 12?
task | Please don't send it yet.
task | Keep the first paragraph and rewrite the second.
task | Don't touch the config while I'm testing.
task | Start the server and show me the logs.
task | Give me a more detailed outline for chapter 3.
task | Use a friendlier tone in this letter.
task | Remind me to call Anna tomorrow.
task | Change the date format in the footer to ISO.
task | Book the 8:14 train on Monday.
task | Translate this into German, please.
task | remove the exclamation marks from the subject
task | Cut the intro down to two sentences.
task | Please run the tests again.
task | Can you show me the diff?
task | Create a branch for the login fix.
task | Answer Tom's email and say that Friday works.
task | Don't include the last column in the export.
task | Only use the data from 2023 for this analysis.
task | Please stop the deployment, something is wrong.
task | add the missing semicolon
task | Set the reminder to every Friday at noon.
task | Make a list of all the open tickets.
task | use fewer words in the title of this post
task | Explain this function to me.
task | Leave the footer as it is for now.
task | Wait until I'm back before you merge this one.
task | Show me more results.
task | Put the currency symbol in front of the number in cell B4.
task | Ask Legal whether the clause is okay.
task | Include the appendix this time.
task | Don't bother, I'll do it myself.
task | Let's use the blue one instead.
task | Print two copies, double-sided.
task | Schedule a weekly meeting with Dana.
task | Write a test for the empty case.
task | write unit tests for parser.ts
task | Ignore the warnings for now.
task | Fill in the form with my work address.
task | Send the invoice to accounting.
task | Look up the opening hours of the museum.
task | Reply to the customer that the parcel is on its way.
task | Compare the two offers and tell me which is cheaper.
task | Please be on the call at three.
question | Do you always cite your sources?
question | Can I stop taking the pills when I feel better?
question | What does "keep alive" mean?
question | Should I use tabs or spaces in Makefiles?
question | How often do you check my calendar?
question | Why is the report so long?
question | Is there a shorter way to write this?
question | Did you run the tests before you committed?
question | Would it be better to use fewer classes?
question | Which format do you prefer for dates?
question | What happens if I never update the app?
question | Are you going to send a summary every day?
question | How do I make my emails less formal?
question | Could you tell me why the build is red?
question | Can you tell me more about the second option?
question | When should one use semicolons?
question | Is it okay to commit directly to main?
question | do you keep backups of the old versions?
question | Have you ever been to Paris?
question | Who decides whether a ticket gets closed?
quote | My boss wrote "please stop using all caps" to the whole team.
quote | "Always be closing" is a line from a movie.
quote | The reviewer said: more tests, fewer mocks.
quote | The customer's mail says: "Never call me again!" What should we do?
quote | According to the docs you should always close the connection.
quote | My teacher told me to write shorter sentences.
quote | Can you translate "don't touch my stuff" into French?
quote | The poster says "Keep calm and carry on".
quote | She asked whether we could be more specific.
quote | Here's what the client wrote:\n> Please use fewer colours.\nWhat do you think?
quote | In the README it says "never commit secrets". Good advice.
quote | Someone on Reddit said you should always use pnpm.
quote | He said I talk too much.
code | // always close the file\nfile.close()
code | git commit -m "stop using deprecated api"
code | \`\`\`\nwhile not done:\n    keep_going()\n\`\`\`\nwhy does this loop forever?
code | const MAX = 10; // never change this
code | Error: too many arguments, expected 2
code | The method stopPropagation() does not work here.
code | WARNING: never use this key in production
code | rename keep_short to keep_brief
praise | Thanks, this is great!
praise | Awesome work.
praise | Perfect, that's it.
praise | You did a great job on the slides.
praise | Love the new design.
praise | That's much better, thank you.
praise | Brilliant!
praise | nice, that was fast
praise | I really like this version.
praise | Good answer.
praise | This is exactly what I needed, thanks!
product | Our app should send fewer notifications.
product | Users must always confirm their email address.
product | The search never finds anything.
product | The chatbot on our website is too slow.
product | Customers want more payment options.
product | Our checkout has too many steps.
product | The password must have at least ten characters.
product | The API should return dates in ISO format.
product | The app keeps asking for my location.
product | Our onboarding emails should be shorter.
product | Every page needs a title and a description.
product | The new version stops working after an hour.
third | My brother never answers his phone.
third | Anna always writes very long emails.
third | Our boss wants us to use fewer slides.
third | The kids should eat more vegetables.
third | Peter keeps forgetting the meeting.
third | The other team always deploys on Fridays.
third | My mother thinks I should call more often.
third | He should stop smoking.
third | The plumber said he would come before noon.
third | They want shorter meetings.
hypothetical | What if we never answered?
hypothetical | If you could only use one language, which would it be?
hypothetical | Suppose I asked you to always lie.
hypothetical | I wonder whether fewer features would sell better.
hypothetical | If we used fewer libraries, would the build be faster?
hypothetical | Imagine a world where nobody ever apologised.
hypothetical | Maybe someday I'll want longer reports.
negated | I don't want you to change anything.
negated | You don't need to apologise.
negated | I'm not saying it's too long.
negated | No need to be more careful than you already are.
negated | Don't worry about the length.
negated | I never asked you to stop.
negated | It's not that I don't like the emojis.
statement | I always have coffee at ten.
statement | I stopped eating sugar.
statement | We have too many meetings this week.
statement | I need more time.
statement | My notes are too long.
statement | I started a new job.
statement | I never work on Sundays.
statement | The tests are green now.
statement | I prefer dogs to cats.
statement | There's less traffic today.
statement | I keep losing my keys.
statement | You were right.
statement | I want to learn German.
statement | I hate flying.
statement | The report was shorter than I expected.
statement | My phone is full.
statement | We should meet more often.
statement | I don't like coriander.
statement | It's always cold in this office.
statement | The file you sent is empty.
statement | I'm in a meeting until four.
statement | I have used tabs since 1998.
statement | You've already told me that.
statement | we use Jira at work
language | Bitte immer auf Deutsch antworten.
language | No me llames señor.
language | Merci de faire plus court à l'avenir.
language | Stop met die emoji's, alsjeblieft.
language | Nie wysyłaj mi więcej raportów.
language | 以后请用中文回答
`);
