import { missCases, plantedCases } from "./cases.ts";

/**
 * Development cases of many registers (terse, polite, angry, indirect, with slips, by people whose first language is another, long messages with
 * the wish in the middle): `type | about | text`.
 */
export const NINTH_CORRECTIONS = plantedCases(`
stop | self-merging | Self-merging your own PRs has to stop.
stop | guessing what I meant | Guessing what I meant instead of asking is really not working for me.
stop | yes man | i dont need a yes man, stop agreeing with everything
stop | horizontal rules | Those horizontal rules between every paragraph? Please get rid of them for good.
stop | reopen | Closed tickets stay closed. Don't reopen them on your own.
stop | can't happen again | You ran rm -rf without asking. That can't happen again.
stop | certainly | No "Certainly!" at the beginning of your answers, it makes my teeth hurt.
stop | hard-code | We had this conversation: secrets are not to be hard-coded.
stop | unrelated files | Changing unrelated files in the same commit makes review impossible, please don't.
stop | phone calls | I do not take phone calls, so do not offer them to people in my name.
stop | weekends | Nothing work-related on weekends, thank you.
stop | swear | Watch your language. No swearing when clients are on the thread.
stop | screenshots of text | pls no screenshots of text, i cant copy from them
stop | ask whether | It's exhausting to be asked whether I'm sure every single time.
stop | my calendar | My calendar is private. Don't share what's in it with anyone.
stop | double spaces | Double spaces after a full stop are a no-go.
stop | explain SQL | I've been a DBA for twenty years, you really don't have to explain SQL to me.
stop | lol | Professional setting here, so leave the lols and hahas at home.
stop | default exports | We don't do default exports in this codebase.
stop | rewrite history | Rewriting history on shared branches is forbidden.
stop | catch exceptions | I'd rather you didn't catch exceptions just to log them.
stop | medical advice | You are not a doctor, so keep medical advice out of your answers.
stop | amend | Hey. Two things. The build is fine now, good. But you amended my commit, and amending other people's commits is something I never want to see. Anyway, carry on with the migration.
stop | translate names | Please to not translate the names of the products.
stop | markdown tables | Markdown tables look broken in Outlook, so none of those in mails.
stop | invented | Inventing API methods that do not exist has cost me hours. No more of it.
stop | tagging the whole | Could you refrain from tagging the whole channel?
stop | countdown | the countdowns are stressing me out, drop them
stop | voice messages | I wish you wouldn't send voice messages.
stop | retry | If a payment fails, you are never to retry it by yourself.
stop | beautify | There's really no reason to beautify JSON that only machines read.
stop | "as you know" | Writing "as you know" comes across as arrogant, leave that out in future.
stop | one-letter | One-letter variable names drive me up the wall.
stop | skip ci | Whoever taught you to use [skip ci], unlearn it.
stop | dont apologise | dont apologise, just fix it. every time the same
stop | flattery | I find the constant flattery insincere.
stop | answer your own | Don't answer your own questions, wait for me.
stop | meetings to be put on | Under no circumstances are meetings to be put on Wednesday afternoons.
stop | messing with my tmux | quit messing with my tmux config!!!
stop | disclaimers | I know you're an AI. The disclaimers can go.
stop | stop polishing | My texts should sound like me, so stop polishing them until they sound like a brochure.
stop | open PRs | Draft PRs only from you; opening real ones is my job and not yours.
stop | old invoices | old invoices are not to be touched, ever.
stop | sending pdf | Why always PDF? I can't edit those. Please stop sending PDF.
stop | my kids | Leave my kids out of the examples.
stop | log personal data | Logging personal data is against the law here, so never do it.
stop | nested ternaries | nested ternaries: no.
stop | mention competitors | We don't mention competitors by name. Not in posts, not in mails.
stop | giving up | Don't give up after the first error, please.
stop | answering late | It would be better if you did not answer customers after 8 pm.
less | Shorter | Honestly? I stop reading after the third line. Shorter.
less | emojis | One emoji per message is my limit.
less | twelve of them | When I ask for a restaurant, I don't need twelve of them. Three will do.
less | bold | half of every message is bold, that defeats the purpose, use it sparingly
less | confirmations | I don't want to click through five confirmations for a typo fix, cut those down.
less | comment | Code should speak for itself, so go light on the comments.
less | less sales pitch | You don't need to sell me every idea. A little less sales pitch would be welcome.
less | explain | Please to explain less, I am understanding fast.
less | alarmist | your incident reports are so alarmist, dial it back
less | size | Commits the size of a novel are impossible to review; keep them small.
less | slack | the amount of Slack pings is insane
less | background | I don't have time for the history of the universe. Skip most of the background when I ask something.
less | headings | three lines of text do not need four headings
less | adjective | Your product descriptions drown in adjectives.
less | careful | you don't have to be that careful in the sandbox
less | links | I get a dozen links in each answer; two good ones are better.
less | word count | Cover letters: 200 words max.
less | hedging | "Perhaps", "might", "could possibly"... please hedge less.
less | quoting | You quote far more of the thread than anyone needs.
less | not so long | pls try to write not so long, my english is not good
less | lighten up | Lighten up a bit when you write the team newsletter.
less | happen a lot less | Every fix of yours pulls in another package. I'd like that to happen a lot less.
less | steps | Instructions with 25 steps are useless to me, keep it under ten.
less | notification | I asked for news about the outage, not for a notification every thirty seconds. Once an hour suffices.
less | simpler words | My mother reads these, so simpler words please.
less | nagging | you nag too much about backups
less | exclamation | Not so many exclamation marks, we're a bank.
less | too speculative | Too speculative for my taste, your forecasts.
less | too many layers | Your classes have too many layers, I'd like it flatter.
less | slow down | Slow down with the refactorings, I can't keep up.
more | numbers | Numbers, numbers, numbers. Your analyses need way more of them.
more | explain | I'm new to this, so please explain a little more than you would to a pro.
more | warn | You could warn me earlier about deadlines, and more often.
more | more subheadings | Your long texts could use more subheadings.
more | back them up better | I'm not convinced by claims alone, back them up better.
more | more caution | you're too quick to delete things. more caution!
more | why | You tell me what, rarely why. I'd like more of the why.
more | polite | A bit more polite towards suppliers, please.
more | colour | the charts are dull, use more colour in them from now on
more | so terse | Your log messages are so terse that I can't debug anything with them.
more | disagree with me more | Disagree with me more. I'm surrounded by people who don't.
more | tests | Half of your bugs would have been caught by tests, so write more of those.
more | visual | i'm a visual person, so more diagrams when you explain architecture
more | sources | One source is not enough for medical topics, use several.
more | thorough | The last three reviews missed obvious bugs. Be a lot more thorough.
more | ask | You should ask for feedback more often than you do.
more | save more frequently | Save more frequently, we lost work twice.
more | humour | our posts are so stiff, a little more humour wouldn't hurt
more | patience | Please have more patience with the new colleague, she is learning.
more | context | Whenever you ping me, I have to ask what it's about. Give me more context.
start | initials | Put your initials behind every entry you make in the log.
start | test plan | I won't approve PRs without a test plan, so write one each time.
start | ask which | If there are two customers with the same name, ask which one.
start | Fahrenheit | We're in Texas, temperatures in Fahrenheit please.
start | day/month/year | day/month/year. always. we are not in america
start | dry-run | Dry-run first. Then the real thing. No exceptions.
start | in the thread | please answer in the thread, not in the channel
start | one question | One question per message, otherwise I lose track.
start | polish | My grandmother uses this too, she only speaks Polish, so Polish it is from now on.
start | tl;dr | Put a tl;dr on top of anything longer than a screen.
start | ticket number | i need the ticket number in the commit message or our bot rejects it
start | pin | Dependencies get pinned to exact versions, please stick to that.
start | four eyes | Payments above 1000 need a second pair of eyes, so get mine.
start | alphabetical | Lists in alphabetical order, please.
start | round | It'd be lovely if figures were rounded to whole euros in anything I have to present.
start | gluten | Just so you know for the future: I can't eat gluten, so take that into account when you plan meals.
start | before 9 | Deliver the press review before 9 every morning.
start | rollback plan | Any time you touch production there has to be a rollback plan.
start | how sure you are | Say how sure you are. I need that for every estimate.
start | first names | we're on first-name terms with all clients, write accordingly
start | screen readers | When building forms, think of screen readers.
start | archive first | Archive before deleting, that's how we do it here.
start | error text | "It failed" tells me nothing; paste the error text.
start | uv | We moved to uv, so no pip, use uv.
start | own branch | Work on your own branch, not on mine.
start | thank | Thank people when they report bugs.
start | important bit in the first | I read mail on a watch, so put the important bit in the first five words.
start | cite page | With books, cite the page. With papers, cite the section.
start | polite form | Please to use the polite form "Sie" with our german clients.
start | bisect | When a test starts failing, bisect before asking me.
start | currency | Prices without a currency are worthless, add it.
start | tell me if | I'd much rather hear "I don't know" than a made-up answer, so tell me.
start | spaces | 4 spaces. not tabs. thx
start | assume metric | Treat all measurements as metric unless stated otherwise.
start | read-only | Use the read-only replica for reports so that we don't slow down the shop.
start | staging | Everything goes to staging before it goes live.
start | owner | Each action item needs an owner and a date.
start | conclusion before the details | Could you, from here on, put the conclusion before the details?
start | full names | Please write the full names of people, I don't know all those initials.
start | check stock | You promised a customer something we don't have. Check the stock before you promise anything.
start | headings bold | make headings bold, it helps the people with the bad printer, and do so in all handouts
start | sign with | Mails to the school are signed with both our names.
start | subject | It'd be super helpful to have the project code in the subject of your mails.
start | calendar | Whenever I mention an appointment, put it into my calendar.
start | seat | aisle seat, always
start | translate back | After translating, translate it back to check the meaning. Do this every time.
start | what changed | Tell me what changed since the last version whenever you send me a new one.
start | ask before | Running out of disk? Ask me before you clean up anything.
start | type imports | use import type for types
start | local files | Look at the local files before you search the web.
start | credit | Pictures need a credit line. I keep adding it by hand.
start | reply-to | In the future could you reply within the same email thread?
start | tests green | You said done and the tests were red. Run them before you say done.
start | emergency | In an emergency call me, don't text.
start | date first | File names start with the date, like 2024-01-31.
start | kosher | we keep kosher so only suggest kosher recipes
start | name | My name is spelled with a k, Erik, get it right please.
start | vendor | Go through the vendor list first when I need something bought.
start | see it before it is sent | I want to see it before it is sent. Everything, no matter how small.
start | neutral | Stay neutral when customers complain about competitors.
keep | risks | Calling out risks up front like you did is what I need, keep at it.
keep | morning brief | Don't you dare drop the morning brief, I read it on the train.
keep | numbered | Numbered steps, one command each: that's the way, continue with that.
keep | direct | I enjoy how direct you are.
keep | table | The comparison table you always add is worth gold.
keep | commit | Small commits with clear titles. Love it. Keep going like this.
keep | right length | your replies have the right length now, please leave it at that
keep | asked | It was good that you asked before overwriting the file. Always do that.
keep | citing | thx for citing line numbers, never stop doing that pls
keep | tests | I noticed that you now add tests on your own. More of this please!
keep | dry | The dry style suits us well, stay with it.
keep | warning | Your warning about the certificate saved us, keep an eye on such things and keep telling me.
keep | weekly | Weekly digest = best thing ever, keep sending it
keep | options | I like getting two options with pros and cons.
keep | emoji | the traffic light emojis in the status table are practical, keep those
keep | plain | plain words, no fuss, just how i like it. keep writing that way
`);

export const NINTH_MISSES = missCases(String.raw`
task | Remove the horizontal rules from the page.
task | reopen ticket 4312, it isn't fixed
task | Don't merge PR 88 until Kim has looked at it.
task | please stop the recording
task | Change the temperature in the recipe to Fahrenheit.
task | Put the list in alphabetical order.
task | Round the total to whole euros.
task | Sign the mail to the school with both our names.
task | pin react to 18.2.0
task | Add the currency to the price column.
task | keep the aisle seat, cancel the other one
task | Make the logo smaller and the text bigger.
task | Shorten the second bullet, it wraps.
task | Use fewer colours in the pie chart you just made.
task | Give me three restaurants near the station.
task | no need to wait for Ben, start the call
task | Ask Dana whether she's free on Tuesday.
task | tell him no
task | Run it once more with debug output.
task | Before we start, open the agenda.
task | when the tests are green, merge it
task | If the file is missing, create it.
task | Please write a longer introduction for this article.
task | more contrast on the cover please
task | Skip question seven.
task | Translate the contract into Polish by tomorrow.
task | leave out the second verse
task | Only the header, not the footer.
task | not now
task | Search the web for a gluten-free bakery in Lyon.
task | Let's not change the schema in this sprint.
task | Could you check the stock of item 7781?
task | Can you explain the second step again?
task | Would you write me a haiku about spring?
task | call the school and say that Emma is ill
task | Move everything from the old drive to the new one.
task | Book a table for four, not too early.
task | Don't use the company card for this one.
task | Answer his mail and be friendly about it.
task | Use import type in src/a.ts where it says so.
task | Stop when you reach row 500.
task | Take the second exit and then turn left.
task | add a loading spinner whenever the list is fetched
task | the button must never be disabled, change that
task | every field should have a label, please fix the form
task | Let the function return an empty list instead of null.
task | Write a function that always returns the same seed.
task | Set the limit to at most 20 requests per minute.
task | rewrite the text so that it sounds less like a brochure
task | Please keep the tests running while I'm at lunch.
task | Retry the payment for order 1189.
task | I'd like a summary of chapter four.
task | I want the flight at 7, not the one at 9.
task | I need the numbers for March by noon.
task | Please use the photo from the beach for the card.
task | try it without the cache
task | Send it again, please.
task | Check again whether the certificate is valid.
task | Remind Lou to bring the keys.
task | Stop here, that's enough for the slide.
question | Do you round to whole euros by default?
question | Why is Fahrenheit still used in the US?
question | What's the difference between always and usually in this contract?
question | Is it rude to reply after 8 pm?
question | how do I stop my phone from ringing at night?
question | Are nested ternaries bad style?
question | Would shorter commits help the reviewers?
question | Which one do you prefer, tabs or spaces?
question | Could it be that the cache is never cleared?
question | When do I have to file the tax return?
question | did you keep a copy?
question | Do customers like getting a call first?
question | Can a cat eat less and still gain weight?
question | how long should a cover letter be at most
question | Is there a rule that every PR needs two approvals?
question | Should emails be short?
question | what do you mean by too many layers
question | Have you always used Postgres?
question | Where should the ticket number go?
question | Who told you to delete it?
question | why not just use a list here?
question | Do I need to ask before I take a photo in the museum?
question | Can you read handwriting?
question | how can I sound more polite in Japanese?
quote | The teacher's note says "more patience, fewer mistakes".
quote | "Never give up" is printed on his shirt.
quote | In her mail she wrote that we should stop calling after 8 pm.
quote | He goes "don't touch my bike" and then leaves. Weird, right?
quote | My landlord: "no pets, no parties". Is that legal?
quote | The style guide of the Times says to avoid contractions.
quote | Kim's review comment: too many layers, please flatten. Can you find which file she means?
quote | Can you turn "stop shouting" into a polite sentence?
quote | What's a better way to say "please be more concise"?
quote | The sticker reads: always wear gloves
quote | Their terms: users must never share an account.
quote | I found this in the readme: Always run make clean first. Is it still needed?
quote | translate "don't forget your umbrella" into Polish
quote | She texted "less drama please" lol
code | \`\`\`yaml\nnotifications:\n  never: true\n\`\`\`\nwhy is this ignored?
code | grep -rn "do not edit" src
code | the constant is STOP_AFTER_FIRST_ERROR
code | <!-- always keep this div -->\nwhat is this comment about
code | return shorter ? a : b;
code | W0612: unused variable, please remove
code | // keep in sync with schema.sql\nIs that comment still right?
code | fatal: refusing to merge unrelated histories
code | assert len(msgs) < 5, "too many messages"
code | git stash keep --no-verify
praise | Super, thank you!
praise | That's the best summary I've read in weeks.
praise | Haha, nice.
praise | you rock
praise | perfect, exactly what the client wanted
praise | I'm impressed.
praise | Well spotted.
praise | good thinking on the index
praise | Love it, ship it!
praise | This answer is really clear, thanks.
praise | Great, the short version is on its way to the board.
praise | That worked like a charm.
product | Our customers expect an answer within an hour.
product | The scanner should beep less.
product | Orders below 20 euros must not be shipped for free.
product | Our form asks for too much information.
product | The app always opens in landscape mode.
product | New users should see fewer tips on day one.
product | The export never includes deleted rows.
product | Each invoice needs a number and a date.
product | the help page should be written in simpler words
product | Push notifications go out every thirty seconds, that's a bug.
product | The plugin keeps adding a trailing slash.
product | Admins can stop a job at any time.
product | Our newsletter is too long and has too many pictures.
product | The elevator must not be used in case of fire.
product | search results need more context, say the testers
product | The onboarding should never ask for a phone number before the user has seen a demo.
third | My brother keeps kosher, I don't.
third | Erik always signs with his first name.
third | Our lawyer wants everything in writing.
third | The board would like shorter reports from our department.
third | My neighbour never stops drilling.
third | Most people skip the introduction.
third | Nadia should really ask before she books flights.
third | The kids are always too loud in the morning.
third | The new designer uses way too much pink.
third | They don't deploy on Fridays over there.
third | Her emails are too long for me.
third | My co-founder hates bullet points.
third | Paul told everyone to use four spaces.
third | Somebody keeps changing the thermostat.
hypothetical | If you never slept, you'd have no dreams either.
hypothetical | Imagine every answer had to rhyme.
hypothetical | What would you do if I told you to stop?
hypothetical | Suppose the reports were half as long, would anybody complain?
hypothetical | I wonder if people would read longer posts.
hypothetical | Maybe we could use fewer meetings someday.
hypothetical | In an ideal world every PR would have a test plan.
hypothetical | If I were you I'd always carry an umbrella.
negated | I didn't mean that you should write less.
negated | No no, the length is fine.
negated | You don't have to stop, I was just surprised.
negated | It's not too formal, don't worry.
negated | I'm not asking for more detail, the gist is enough for me now.
negated | that doesn't mean you should never call me
negated | nothing wrong with your style
statement | I ate too much.
statement | We never got an answer from the landlord.
statement | I always take the aisle seat, easier for my knees.
statement | My English is not so good.
statement | I'm a visual person.
statement | I have been a DBA for twenty years.
statement | We moved to uv in March.
statement | I'll be more careful next time.
statement | I should exercise more.
statement | You sent it to the wrong Kim.
statement | We had fewer visitors than last year.
statement | I've told Ben not to call.
statement | the meeting on Wednesday is cancelled
statement | I can't open the file.
statement | Our old assistant was slower.
statement | That took longer than I thought.
statement | no idea why it fails
statement | nothing new from the landlord
statement | I want to sleep.
statement | I need a break, talk to you later.
statement | We don't have a printer at home.
statement | I like trains.
statement | you are on the wrong branch
statement | I see you already fixed it.
statement | The second one is better.
statement | It stopped raining.
statement | more snow tomorrow, they say
statement | Every morning the same traffic jam.
statement | From now on it's downhill.
statement | The future is bright.
statement | I keep my notes in a folder on the desktop.
statement | I'd rather stay home tonight.
language | Bitte schreib ab jetzt kürzer.
language | Hör auf, mir ständig Erinnerungen zu schicken!
language | Por favor, no uses emojis.
language | Arrête de t'excuser tout le temps.
language | A partir de agora responde en español, por favor.
language | もっと短くしてください
language | Пожалуйста, всегда проверяй тесты перед коммитом.
language | Kan je voortaan in het Nederlands antwoorden?
language | Smettila di mandarmi aggiornamenti.
language | in die Datei schreiben, nicht in die Konsole
`);
