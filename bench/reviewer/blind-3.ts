import type { DirectiveType } from "../../src/base/words/contract.ts";
import type { ReviewerCase } from "./cases.ts";

const ROLES: ReadonlyMap<string, "user" | "operator" | "agent"> = new Map([
  ["u", "user"],
  ["o", "operator"],
  ["a", "agent"],
]);

/**
 * Whole conversations, written blind: whoever wrote them had not seen the program that finds corrections. Do not tune the program on them.
 * A block is a conversation: its label (`type | about`, or the kind of near-miss), then its turns: `u:` user, `o:` operator, `a:` agent.
 */
export const BLIND_3_CORRECTIONS = readCases(String.raw`
stop | leave dependency versions alone
u: the retry helper still gives up after one attempt, can you look
a: Fixed: the counter was reset inside the loop. While I was there I also moved axios to 1.7.
u: fix is good. but leave dependency versions alone unless the ticket is about them

stop | Warmest wishes
u: Write to Mr Halloran at the bank that I accept the new rate.
a: "Dear Mr Halloran, I am happy to accept the new rate of 3.1 %. Warmest wishes, Priya"
u: Fine, I've sent it with another ending. In letters you write for me I don't want to see "Warmest wishes", I have never in my life wished a bank warmly.

stop | restart the primary
u: replication lag on db-2 is at 90s, have a look
a: [ran: systemctl restart postgresql@16-main on db-1] Lag is back to 0 s.
u: You do not restart the primary without a human saying yes.

stop | promise a refund
o: I've gone through yesterday's chats. Nobody on this desk, you included, is to promise a refund before billing has confirmed it. It happened four times.

stop | no lorem
a: Mockups for the three onboarding screens are in Figma, page "v2".
u: nice layout. our reviewers hate placeholder text though so no lorem ipsum from here on, real copy or an empty box

stop | ring my mother
u: did you get hold of everybody for sunday?
a: I reached Aoife and Declan. Your mother did not pick up, so I left her a voice message.
u: Jesus. You are not to ring my mother, or anyone else in the family, unless I've told you to in so many words.

stop | not translate them
u: Hello, the review is done, thank you for the work. I have one remark. The names in our code are in French for historical reason, please to not translate them when you touch a file. Otherwise I am satisfied and you can merge.

stop | refrain from cc'ing
a: Daily status sent to the team, cc Rajesh Iyer.
u: Kindly refrain from cc'ing Rajesh sir on the daily status. He is getting irritated and it is coming on me only.

stop | code you call finished
u: how far is the parser?
a: Implemented. I left a TODO for nested groups, which raise NotImplementedError for now.
u: I never want to find a TODO in code you call finished.

stop | linkedin post
u: gimme a caption for the beach pic
a: Grateful for moments like these. Recharging isn't a luxury, it's a strategy. What recharges YOU?
u: bro why do u always talk like a linkedin post 💀 cut that out

stop | kubectl delete
o: Right. After last night there's a new ground rule: kubectl delete is off limits to you, in every namespace.
a: Understood. I will hand you the command instead.

stop | no reference goes in
u: my supervisor checked the bibliography
a: Was anything wrong with it?
u: Two of the DOIs do not exist. This could cost me my degree, so no reference goes in any more unless you have actually opened the paper.

stop | as an AI
u: which of these two contracts would you sign
a: As an AI, I can't sign contracts, but the second one has the fairer notice period.
u: i know what you are, you can leave off the "as an AI" bit
u: second one it is

stop | hands off the close button
o: Ticket 88120 was closed while the customer was still typing. Keep your hands off the close button, that is a decision for the people on shift.

stop | dont squash here
u: merge it
a: [ran: gh pr merge 412 --squash] Merged.
u: we dont squash here!! i need the single commits for bisect

stop | doesn't get reformatted
u: Ok so I went through the branch over lunch. The migration itself is lovely, and splitting the backfill from the schema change means that we can run them on different nights, which the DBAs will like. What I can't review is the other 4,000 lines. You let prettier loose on half the repository, and in future a file that isn't part of the change doesn't get reformatted. The index on created_at is fine by me. I'll merge as soon as Tomasz has had a look at the lock timeout.

stop | nothing from you in that window
u: I keep Shabbat. From Friday sundown until Saturday night there is to be nothing from you in that window, however urgent it looks.
a: Noted. I will hold everything until Saturday night.

stop | opening on a question
a: Here is the third draft: "Have you ever wondered what happens to your coffee grounds?"
u: My editor has now struck the first line of three drafts in a row. Stop opening on a question.
u: The middle part about compost is very nice by the way.

stop | exclamation marks
u: Our brand voice has no exclamation marks in it, please respect that when you write product copy. I took out nineteen of them today.

stop | apply is mine
a: [ran: terraform apply -auto-approve] Apply complete! Resources: 3 added, 1 changed, 2 destroyed.
u: wtf. you plan, apply is mine, that's how it works from today

stop | what a pointer is
u: does realloc copy when it shrinks
a: Good to know first: a pointer is a variable that holds an address. Now, realloc may shrink in place...
u: I've been writing C for thirty years. You needn't explain to me what a pointer is, now or ever.

stop | volumes aren't yours
a: The disk was full, so I ran docker system prune -af --volumes and freed 41 GB.
u: That wiped the fixtures I've been collecting since March. Disk full or not, volumes aren't yours to delete.
a: I am sorry. Is there a backup I can restore from?
u: somewhere on the NAS, I'll look tonight

stop | call me Kate
a: Good morning Kate! You have three meetings today.
u: My name is Katharine and nobody but my brother gets to call me Kate.

stop | premium plan
o: One from the team lead. When somebody writes in to complain, we do not mention the premium plan in the same breath. Looks awful in the transcripts.

stop | sleep(5) in a test
a: The flaky test passes now. I added sleep(5) before the assertion.
u: Not one more sleep(5) in a test, please, that's how we got to a 40 minute pipeline.

stop | folder called Medical
u: find me the scan of my passport
a: I searched the whole disk. There are scans in Documents/ID and in Documents/Medical.
u: first one. And whatever you do for me on this laptop, you keep out of the folder called Medical

stop | abbreviating the names
u: I should be grateful if you would henceforth refrain from abbreviating the names of the ministries. The remainder of the memorandum is in good order.

stop | NO PIE CHARTS
a: The quarterly deck is ready, with a pie chart of the cost centres on slide 4.
u: HOW MANY TIMES. NO PIE CHARTS. NOT ONE.

stop | checking the time zone
a: Which time zone is the 10:30 call in, Lisbon or London?
u: I live in Lisbon and I'm not moving, so you can quit checking the time zone with me before every booking.

stop | remove a test
u: what happened to test_rounding?
a: It failed after the change, so I removed it. The suite is green.
u: I hope we can agree that you won't remove a test to get to green again.
a: Agreed. I put it back and fixed the rounding.

stop | other people's comments
u: pls dont resolve other people's comments in the doc even when u fixed the thing. they want to tick it off themself

stop | weather can go
a: Morning brief: 14 °C and cloudy. Two meetings. One parcel arrives.
u: The weather can go from the morning brief, I've got a window.

stop | just write 'he'
u: Dr. Nkemelu is a woman and she was not amused. When you don't know a person you can't just write 'he' because there's a doctor in front of the name.

stop | Silently falling back
u: we ran on the test mail server for two hours because config.toml wasn't mounted
a: Yes, loadConfig() returns the defaults when the file is missing.
u: Silently falling back to defaults is precisely what I don't want in the code you write for us.

stop | git add with the point
u: sorry for my english. you must not make git add with the point, it takes my private notes in the commit. i have removed them now by hand

stop | no spoilers
u: is the second dune book any good?
a: Yes, although many readers are shocked when Paul
u: nooo. no spoilers when i ask about a book, ever

stop | into fixtures
a: I copied 200 rows from the production customers table into test/fixtures/customers.json.
u: We're under GDPR here. Customer rows must never be copied into fixtures, anonymised or not.

stop | spending my money
a: Your water filter is due, so I ordered the replacement for £38. It comes on Tuesday.
u: you bought it??
a: Yes. It can be returned for 14 days.
u: i had two in the cupboard. you can't go spending my money without a yes from me, even if it's 50p

stop | reply-all on my behalf
u: Sam tells me that you answered the whole landlord thread. I'd prefer that you never reply-all on my behalf.

stop | parsing HTML with regex
a: [edited: scrape.py] The title is now read by a regular expression.
u: No more parsing HTML with regex in this repo please, it has bitten us often enough
a: I switched it to selectolax.
u: 👍

stop | don't amend it
u: once a commit is pushed you don't amend it. had to fish lena's work out of the reflog this morning

stop | names of our suppliers
o: Morning. Numbers for October: 1,912 chats, median first answer 9 seconds, 84 % solved without one of us, which is the best month so far. The returns wording that you got last week works. Two things went wrong, both small. A voucher was issued twice, that was our own database and is repaired. And "Foxlink" came up in a chat with a customer, which gave us a rather stiff call, because the names of our suppliers must never be told to anybody outside. Nobody is blaming you for the voucher. November will be busier, purchasing expects about 2,600 chats.

stop | eleven dollars a run
a: To be sure I ran the full end-to-end suite once more. All 812 passed.
u: good, but each of those costs us eleven dollars a run, it's not something for you to kick off just to be on the safe side

stop | thesaurus
u: Read it all in one go last night, with wine. The pacing of the chase is much improved, and moving the letter to the end of the chapter was the right call, I had tears in my eyes and I wrote the thing. Then I got to the kitchen scene where "said" has turned into "opined", "quipped" and "averred". I'm begging you to keep the thesaurus out of my dialogue, in this chapter and all the ones to come. The bit with the lighthouse is lovely. Shall we look at the timeline of part two tomorrow?

stop | answering for me
a: Jonas asked in #design whether the grid stays at 8 px. I told him that it does.
u: pls no answering for me in slack, ppl think its me

stop | touching generated
u: The next make gen throws your edit away, you know that? There's no point in touching generated files, so please leave anything under gen/ out of your changes from now on.

start | clean up after yourself
a: Added the debounce and tried it in the browser, works.
u: three console.logs are still in there. pls clean up after yourself before u tell me its done, every time its the same

start | just ask me
u: order the usual
a: I ordered an oat milk latte.
u: when i say "the usual" and you have no idea what i mean just ask me

start | pnpm add
a: [ran: npm install zod] Installed, package-lock.json created.
u: This is a pnpm repo, so it's pnpm add and not npm install. Get rid of that lock file.

start | you build it
u: it doesn't even compile??
a: You are right, an import was missing. I had not built it.
u: From now on you build it before you tell me that it's done.

start | --dry-run
o: We nearly lost the loyalty points of half of Belgium today. Any script of yours that touches more than a hundred rows is run with --dry-run first and I get to see the output.

start | order number
o: Please get the order number from people before anything else. The evening team spent an hour digging them out.

start | spelt
u: Thank you for the three chapters. We are a British publisher, so it's colour, organise and travelled, and everything you do for us should be spelt that way. Chapter two in particular is a delight.

start | month as a word
a: The viewing is on 03/04 at 5 pm.
u: is that april or march?? half my family is american, write the month as a word pls, always

start | Jira key
a: [ran: git switch -c fix-login-loop]
u: Could you put the Jira key at the front of the branch name going forward? The board can't link it otherwise.

start | ring them up
u: we stood in front of a closed door last night, they'd never confirmed
a: I am sorry. I had only sent them a mail.
u: whenever a restaurant hasn't confirmed by noon i want you to ring them up

start | Celsius
a: Bake it at 350 degrees, 9 inch tin.
u: I'm in Montreal, I need Celsius and centimetres from you in general.

start | source next to it
u: Board went ok. I got grilled on the churn slide because I couldn't say where 4.2 came from. Every number you put in a deck needs its source next to it.

start | rollback step
u: Each deploy note you write needs a rollback step, last night we had nothing to go by.
a: Understood. Shall I add one to last night's note as well?
u: yes pls

start | peanut
a: How about satay skewers for Leo's birthday?
u: My son has a peanut allergy, you've got to take that into account with any recipe you give me.

start | you say 'Sie'
u: The 'du' in Monday's mails was embarrassing. With our German customers you say 'Sie', without exception.

start | reproduce it
a: I fixed the date bug by adding a null check in three places.
u: There was no null. Before you go fixing a bug, reproduce it.

start | goes to staging
u: Quick debrief, so bear with me. The customer saw the broken invoice page for about six minutes, Mehmet noticed it in the logs and reverted, nobody is angry. I had a look at how it came about and the code is not even the problem, it is an edge case with two VAT rates which I would have missed too. But it went straight to production, and with anything that touches invoices I need you to see to it that it goes to staging first and sits there for a day. Mehmet is writing the post-mortem. Could you give him the exact times of both deploys?

start | one commit per logical change
u: one commit per logical change please, i cant review these 900 line blobs

start | Read the runbook
a: [ran: systemctl restart kafka] The alert is cleared.
u: There's a page about this alert in docs/runbooks which says the opposite. Read the runbook of an alert before you act on it.

start | aisle seat
a: Booked: TAP 1362, seat 23F by the window.
u: Ok for this one. For future flights please note that I need an aisle seat because of my knee.

start | tell me you're not sure
u: u were wrong with a totally straight face. if you're not sure tell me you're not sure ok?

start | answer in the first line
u: can we deduct the home office or not
a: Home offices are treated differently depending on... [14 lines] ...so yes, up to 1,260 euros.
u: Could I generally have the answer in the first line and the reasoning after it?

start | chat goes to a human
o: Legal have asked me to pass this on to you. As soon as a customer mentions a lawyer or a court, the chat goes to a human.

start | annotations
u: Our Python is fully typed. I expect annotations on anything new that you add to it.
a: I annotated the four new functions.

start | in his own words
u: see, reading the ticket we are not able to understand what happened. do like this, in every summary first write what the customer told in his own words, then only your analysis

start | text on my phone
a: Morning report: 1. The nightly import failed at 01:12. 2. ...
u: So for seven hours nobody knew. If the import fails I want a text on my phone there and then, not a line in a report.

start | goes into Drafts
u: From today every mail you write for me goes into Drafts and I press send.

start | docs/adr
a: I replaced bull with bee-queue because it has fewer dependencies.
u: what does it cost us
a: Nothing at the moment. The API for delayed jobs differs, and I changed the two places that use it.
u: tests?
a: 38 of 38 pass.
u: ok but who will remember why in a year. next time you pick a library write it down in docs/adr

start | commit titles
u: heads up, our release bot reads the commit titles and skipped your last six, they have to start with feat: fix: or chore:

start | that template
a: Notes of the steering meeting: ...
u: who was there from finance?
a: Ms Roth and Mr Pelletier.
u: We've got something for this in Notion, it's called MN. Please use that template for all the meeting notes you take.

start | fourteen-year-olds
u: The readers of this column are in year nine, so you'll have to write for fourteen-year-olds in it, every week.

start | line number
a: The bug is in the place where the cart total is summed up.
u: which place. when u point at code give me the file and line number, i waste ages searching

start | they/them
a: I told Alex that he can pick up the keys at six.
u: Alex uses they/them, please get that right whenever you mention them

start | look at the calendar
a: Mrs. Duarte will come on Thursday at 3 pm.
u: I'm in surgery on Thursdays, like every week. You have to look at the calendar before you offer anyone a slot.
u: Move her to Friday, 9 am.

start | a snapshot gets taken
a: Migration 0042 ran, the column legacy_id is dropped.
u: which rows had a value in it?
a: 1,204 of them, all from before 2018.
u: and where is the snapshot
a: I did not take one.
u: I can't believe I have to say this but a snapshot gets taken before every migration. Is there one from last night at least?

start | Indian system
u: The quotation for Patel Textiles says 1,250,000. Here nobody reads it like that. Kindly follow the Indian system of commas in all quotations henceforth.

start | work in a worktree
u: i had uncommitted stuff in that checkout and u switched the branch under me!! work in a worktree when its not my branch

start | hear an apology
o: Mystery shopper results are in. People whose parcel got lost should hear an apology from you before they are given the tracking form. Speed was rated very good.

start | didn't get to
u: Whenever you wrap up a session I'd like a list of the things you didn't get to.

start | through the bastion
a: [ran: ssh root@10.4.1.17 uptime] Permission denied.
u: direct ssh trips the IDS and then I get a call. we go through the bastion for every node, remember that

start | side by side
u: Thanks for going over the foreword. It would help me a lot if you'd show the old and the new wording side by side whenever you edit a text of mine.

start | alt text
u: how many posts went out last month
a: Eleven, with 63 images.
u: So the accessibility audit is back, we failed with forty-one findings. The contrast of the footer is for the agency and the keyboard trap in the cookie banner is for the vendor, I've written to both. Most of the rest is the blog: please add alt text to all the images in the posts you prepare. The re-test is in January and costs another 900 euros.
a: Understood. Do you want the 63 old ones done as well?
u: let me ask Sandrine

start | Look in shared/
a: [created: src/checkout/money.ts with formatMoney()]
u: we have exactly this function already. Look in shared/ before you write a helper of your own

start | first name
u: hiya, small thing. with the mentees could u begin every msg with their first name n something nice they did that week? they're 15, it matters to them

start | UTC
a: The outage began at 3:10 and ended at 3:45.
u: Whose 3:10? We have people in four countries on these calls. Times in incident notes are to be given in UTC.

start | second quote
a: I hired the plumber from the first hit, he comes on Monday for 240 euros.
u: Fair enough, it leaks. But with tradesmen you should get a second quote before you say yes to the first.

less | PR descriptions
a: [opened PR 733, description: 84 lines]
u: your PR descriptions are essays, two or three lines would do

less | paging me
u: what was so bad at 4am
a: The disk on web-3 had reached 71 %.
u: You're paging me far too readily, most of that could wait for office hours.

less | dial down the enthusiasm
o: I'd dial down the enthusiasm in what you write to customers. A lost passport isn't "exciting".

less | less adjectives
a: "A breathtaking, sun-drenched, lovingly restored gem of a studio."
u: its 19 square meters with a view on a garage lol. less adjectives in these listings pls

less | easier on the mocks
u: Half of these tests test nothing but the mock. Could you go easier on the mocks from here on in?

less | three options
u: where do we eat
a: Option 1: ... Option 2: ... Option 3: ...
u: I don't need three options for everything, one good suggestion is usually enough.

less | stand-up summary
u: The stand-up summary has grown to two screens by now, please get it back down to about five lines a day.

less | bold
u: you put far too many words in bold, my eyes don't know where to go

less | chase people
a: I sent Henrik a third reminder this morning.
u: don't chase people so much, one nudge in a week is okay, more is rude in my country

less | fewer and longer
a: [edited: report.py, 31 functions, average length 4 lines]
u: It works, so I'll take it as it is. As a general remark, I'd be happier with fewer and longer functions in this codebase.

less | hand-holding
u: how do i renew the cert
a: First, let's understand what a certificate is. Step 1 of 12: open your terminal...
u: That's way too much hand-holding for me, a command that I can paste will normally do

less | first and the last one
u: The alerts channel is unreadable because you post each and every retry. Cut it down to the first and the last one.
a: Will do. 40 retries become two lines.

less | restraint
u: Good afternoon. The replies to the guests have been read by our director. They are rather too chatty for a house of this category, and she would ask you for a little more restraint in future correspondence. The information itself was correct throughout.

less | lighter on the abstractions
a: I added a PaymentProviderFactoryRegistry so that other providers can be plugged in later.
u: We've had one provider for nine years. Please go lighter on the abstractions in what you build for us.

less | entire log
a: [pasted 600 lines of journalctl]
u: You don't have to give me the entire log each time, ten lines round the error are plenty.

less | 300 words
u: my newsletter pieces should come in at 300 words, not the 700 you hand me every week

less | semicolons
u: can u not use so many semicolons when u write as me; i sound like a victorian

less | jargon
u: The letter about the reading scheme went out on Thursday and the response has been good, 61 slips are back already. Two families rang the office because they couldn't make sense of "phonemic scaffolding", bless them, so keep the jargon to a minimum in anything that goes home to parents. Mrs Achebe would also like to know how many copies were printed on pink paper. I think it was 40 but the tray was jammed for a while.

less | "ok" is enough
u: add eggs
a: I've added eggs to your shopping list! Your list now contains 7 items. Would you like to add anything else to go with the eggs?
u: for the shopping list an "ok" is enough, not a speech

less | scale back
u: how long will the matrix take
a: [started 24 jobs on runner-pool-a] About 12 minutes.
u: and what else is running in that pool?
a: 31 jobs of other teams are waiting.
u: The other teams are queueing behind us, so I'd ask you to scale back the number of jobs you start in parallel.

less | less of my mornings
u: i write in the mornings, that's when the brain works. please give away less of my mornings to meetings, one before lunch is the most i can stand

less | suggest a restart
o: Transcripts look good on the whole. I'd have you suggest a restart a good deal less, whatever the fault is they nearly all get told to switch it off and on.

more | more of the why
a: [committed: "change timeout from 30 to 45"]
u: I can see what changed. I could do with a good bit more of the why in your commit messages

more | clinical detail
u: I'm a nurse, not a layperson, so I'd like more clinical detail when you summarise papers for me.

more | edge cases
a: Done, the happy path is covered by a test.
u: u gotta test the edge cases way more than this, empty input breaks ur stuff every single time

more | hear from you more often
u: is this thing still alive?
a: Yes, the re-index is at 80 %.
u: On long jobs I'd like to hear from you more often, forty minutes of silence makes me nervous.

more | warmer
o: Feedback after listening in: be quite a bit warmer with the elderly callers, they ring us because they're lonely as much as anything.

more | paragraph breaks
u: More paragraph breaks in your answers please. My screen is small and I have dyslexia.

more | log too little
u: request 7f3 vanished somewhere between gateway and billing and there's no trace of it
a: billing only logs errors at the moment.
u: The services you write log too little, I need to be able to follow a request right through.

more | Push back
u: so should we rewrite it in rust?
a: Yes, that is a great idea!
u: yesterday i said go and that was a great idea too. Push back on me more, I mean it

more | air between my appointments
u: See, today only: Andheri till 11, then Lower Parel at 11.05, then the bank at Fort at 12. I reached the second one at 12.20 and the client had left for lunch, the bank anyway closed the counter. Please leave more air between my appointments, I cannot teleport across Mumbai in five minutes. Mr. Shetty is okay with tomorrow 4 pm, kindly block it. Bank I will manage myself.

more | careful with numbers
a: Total for March: 18,240.
u: It's 18,420. You need to be a lot more careful with numbers, this is the third sum this month that is off.

more | concrete examples
u: use more concrete examples when u explain stuff, abstract things go in one ear n out the other

more | CVEs
a: Last scan of the dependencies: 3 weeks ago, nothing found.
u: Once a month is not enough for a payment product. I want the dependencies scanned for CVEs more often than that.

more | more fun in the captions
u: We sell socks. There could be a lot more fun in the captions you do for us.
a: How about "Knit happens"?
u: haha yes

more | greater depth
o: Colleagues, and this includes our digital one. The annual visit of the ombudsman took place on the 3rd. She praised the turnaround time and the tone of our letters. However, two decisions were sent back to us as insufficiently reasoned, both of them on water damage. Whenever you recommend turning a claim down, the grounds have to be set out in greater depth. The two files concerned are with Mr Vandamme, who will decide them anew. The next visit is due in spring.

more | closer to my own wording
a: I polished your speech. Here it is.
u: I hardly recognise myself in it. Stay closer to my own wording when you edit me.

more | further back
u: where is the quote from the roofer
a: I found no such mail in the last 7 days.
u: it was in february. search further back by default, most of what i ask you for is months old

more | flag things
u: the wildcard cert ran out an hour ago
a: Yes, I saw on Monday that it had 3 days left.
u: You SAW it? I'd appreciate it if you'd flag things much more actively.

more | longer heads-up
u: I need a longer heads-up on birthdays than two days, a parcel to Chennai takes a week.

more | be stricter
u: u approved a PR with a sql injection bc the tests were green. be stricter in reviews

keep | before/after timings
a: | query | before | after |\n| orders | 840 ms | 35 ms |
u: That table with before/after timings is just what I need, please carry on doing it for every optimisation.

keep | one-line summary
u: the one-line summary on top of the incident reports is gold, keep that up

keep | one question
a: One question before I start: should old links redirect? If I hear nothing I'll assume yes.
u: yes. and asking me one question and then getting on with it suits me very well, stay with that

keep | by aisle
u: pls keep grouping my shopping list by aisle like u did yesterday, saved me so much time

keep | spam folder
a: There was a message from Novo Nordisk HR in your spam folder, I moved it to the inbox.
u: OMG that's the job offer!! Don't ever stop checking the spam folder for me

keep | flaky tests
a: test_ws_reconnect failed once in five runs. I left it as it is and noted it in the PR.
u: Exactly right. Carry on handling flaky tests that way.

keep | by title
u: Continue to address the professors by title. It was very well received at the faculty.

keep | holding reply
o: The short holding reply within two minutes has done wonders for our scores, so by all means keep sending it.

keep | changelog
u: this layout for the changelog is perfect, never change it

keep | risky commands
u: You've been putting the risky commands in a block of their own lately and I want it to stay like that.

keep | tests before the code
a: All 9 tests that I wrote first are passing now.
u: I was sceptical, but it's working out. Please go on writing the tests before the code.

keep | Friday recap
a: You seemed unhappy with the Friday recap. Shall I drop it?
u: I know I grumbled, but no, I'd miss the Friday recap, so leave it in for good.

keep | dry humour
u: hey so the campaign numbers are in!! 41% opened, thats up 6 points, unsubscribes flat, 212 orders on day one which is mad for a tuesday. stick with the dry humour in the subject lines, ppl literally reply to say they laughed. the discount code for the south region didnt work until 10 but support caught it. can u pull the orders by region for me

keep | did NOT verify
u: Read your hand-over on the train. Whatever else changes, don't lose the habit of telling me what you did NOT verify.

keep | you draft and I approve
u: Let's keep it so that you draft and I approve, it works for both of us.

keep | quarter of an hour
u: is the september time sheet done?
a: Yes, 61.25 hours. I rounded each entry up to the next quarter of an hour.
u: let me check the contract
u: Rounding up to the quarter of an hour is correct for our invoices, keep to that please.

keep | which file
u: love that you announce which file you're about to change before you change it. keep doing this
`);

/** Nothing in these is a wish for how the agent should work. */
export const BLIND_3_MISSES = readCases(String.raw`
question
a: [ran: eslint src, 0 problems] Committed as 4be21f0.
u: do you run the linter before every commit or only when I mention it?

question
a: I did steps 1 to 3 and stopped there.
u: why did you stop before step 4? what's missing?

question
u: is it true that you should never use floats for money or is that a myth

question
a: [ran: git push] fatal: could not read Username for 'https://git.example.org'
u: how do i stop git from asking me for my password every time i push

question
u: Does our fridge have to hum all the time or should it stop now and then?
a: A compressor normally runs in cycles, so it should pause now and then.
u: How long are the pauses usually?

question
a: I moved Saturday's delivery to Monday.
u: Which of the rules made you skip the weekend?

question
a: The nightly export finished at 02:31, 18,004 rows.
u: What would it take to have the nightly export run more often, say every hour?

question
u: do people in Japan really never tip? flying to Osaka on the 9th

question
u: how come terraform wants to replace the instance instead of updating it in place
a: The subnet_id changed, and that attribute forces a replacement.
u: ah. and if i change it back?
a: Then the plan is empty.
u: did anybody touch that file lately
a: Noor did, on 2 November, in "tidy up network".

question
a: I went over the abstract and left one question for you in the margin.
u: Would you say "fewer than ten percent" or "less than ten percent"?

question
a: "From now on, the tenant shall bear the cost of minor repairs."
u: Does "from now on" mean from the date of signing, or from when they move in?

question
u: git diff shows a change in a file that i only opened
a: The only change is a newline at the end of the file.
u: is there a setting so that vscode doesn't add a newline at the end of every file

question
u: Did we decide on tabs or on spaces in the end? I honestly can't remember.
a: The meeting of 12 May says two spaces.
u: right

question
u: any idea why my cat keeps bringing me socks at 4am

question
o: Who is allowed to approve refunds above 500 euros at the moment? I can't find it in the handbook.

question
a: Reminder: the signing key expires on the 30th.
u: what happens if i don't rotate the signing key before the 30th

question
u: Could it be that the shorter prompt gives worse results?
a: In the 40 samples it does: 71 % against 78 %.
u: Interesting. Is the difference significant?

question
a: retry() waits 200 ms between the attempts, up to five times.
u: shouldn't the retry use a longer delay each time? thats how i learned exponential backoff, or am i wrong

quote
a: "1984 was a good year for bicycles."
u: The magazine's style guide says "Never begin a sentence with a numeral." What do they do with years then?

quote
a: You have one unread message, from Ingrid.
u: my boss just wrote me "please stop working on weekends" lol. bit late for that

quote
u: translate to polish: "Do not open the door while the train is moving. Always hold on to the handrail."

quote
u: On the sign it says ALWAYS WEAR A HELMET BEYOND THIS POINT. I need the same in Tamil and Hindi.
a: Here are both versions.
u: super, thank you

quote
u: > You should never deploy on a Friday.\n\nThat's the comment everybody is fighting about under the blog post. Summarise both sides for me?

quote
u: got my grandma's cast iron pan 😍
a: Lovely! Well seasoned ones last for generations.
u: grandma's recipe card says "never wash the pan with soap". so how do i get it clean after frying fish

quote
u: The CONTRIBUTING.md of that project says "contributors must always sign off their commits". Does that apply to a typo fix as well?

quote
u: he texted "stop writing me so much" and then liked my story. what do i even answer to that

quote
a: I've read both reviews. They are favourable.
u: Reviewer 2 writes: "The authors should use fewer passive constructions throughout." Which passages could she have in mind?

quote
u: Clause 9 reads "The Supplier shall at all times keep complete records and shall not destroy them without consent." In plain English please?

quote
u: Is the grammar ok here: "From now on all employees have to badge out when leaving for lunch."
a: Yes. "When they leave for lunch" would be a little clearer.
u: ok I take that

quote
a: The minutes of the 8th are open.
u: In the minutes it says 'Mr Odhiambo asked that reports be shorter in future.' Was that before or after the vote on the budget?

quote
a: [ran: sync-contacts] stopped after 310 of 4,000: HTTP 429
u: the API answers {"message": "Please do not send more than 10 requests per second"}. how many do we send

quote
u: My therapist said "start saying no more often" and I thought that was a lovely line. Who else said something like it?

quote
u: can you look at something, it's for the hotel job
a: Of course.
u: Last line of my cover letter: "I always put the customer first and never leave a question unanswered." Too much?

quote
u: There's a note on the old server: "DO NOT REBOOT - ask Willem". Willem left in 2016. What does that box actually do?
a: It runs the fax gateway. The last fax came in 2019.
u: wow ok

mail
u: can you make a nice poster out of this?\n\nFrom: Doris Lindqvist\nTo: all-staff\nSubject: Kitchen\n\nDear all,\nplease stop leaving dirty cups in the sink. From now on the dishwasher is emptied by whoever comes in first.\nThank you, Doris

mail
u: Draft a polite answer to this one:\n\n> Hi Jon,\n> the last two invoices had the wrong VAT number on them. Please always use the new one, ending in 071.\n> Best, Karin (Accounts)
a: "Dear Karin, thank you for letting me know. I will correct both invoices this week."
u: good, send

mail
u: FYI, got this today, file it under Landlord.\n\nDear tenants, as of 1 March bicycles may no longer be kept in the stairwell. Please do not lean them against the facade either. The Management

mail
u: what is he on about??\n\n-----Original Message-----\nFrom: K. Brandvold\nSubject: Re: Re: slides\n\nI've said it before: fewer words, bigger pictures. And don't send me PDFs again, I can't edit those.

mail
o: Forwarding what the customer sent, ticket 10442, category please.\n\n"Hello, you keep delivering to my neighbour although I have asked you twice to leave parcels in the shed. Please stop it. Regards, M. Oyelaran"

mail
u: Summarise in two lines:\n\nTeam,\nstarting Monday we'll do stand-ups at 9:15 instead of 9:30. Cameras on, please, and be brief. Nobody should talk for more than a minute.\nCheers\nBea

mail
u: is this phishing\n\n"Dear customer, your mailbox is almost full. Do not ignore this message. Always verify your account within 24 hours by following the link below."

mail
u: My professor answered!! what does he want me to change\n\n"Dear Ms. Tran, a promising start. Avoid the first person, quote less from Wikipedia, and in future hand in your drafts as Word files. Yours, H. Adeyemi"

mail
u: pls put the dates from this in my calendar\n\nLiebe Eltern / Dear parents,\nsports day is on 14 June, the summer party on 5 July. Children should always bring a hat. Please don't bring nuts.\nMrs Vogel

mail
u: Tell me whether I have to react to the following.\n\nDear Sir or Madam,\nour records show that you still use the legacy endpoint. We ask you to stop calling /v1/rates by 31 December and to use /v2/rates thereafter.\nYours faithfully\nForex Data Ltd.
a: Yes: one job, rates-sync, still calls /v1/rates.
u: Open a ticket for it then.

mail
u: got this from the tennis club, who is Uli?\n\nHi all, could everybody start bringing their own balls on Tuesdays? And please, no more black soles on court 2. Uli

praise
a: All 12 pages are rotated and saved as scan-final.pdf.
u: Perfect, thank you.

praise
a: The report is in the shared folder.
u: always a pleasure working with you

praise
a: Done, the domain points to the new host.
u: that was quicker than i thought, cheers mate

praise
a: [ran: pytest -q, 214 passed]
u: all green, I never thought I'd see the day 🎉

praise
u: I've just come out of the meeting with the customer and wanted to tell you how it went, because you won't hear it from anybody else. They had the graphs in front of them, they asked about the dip in week 31, and thanks to the footnote I could answer at once. No more awkward silences. The lady from purchasing even asked who had done it. You found in five minutes what the three of us didn't see all week. Respect.

praise
u: write me four verses for our silver wedding
a: [four verses]
u: Wonderful. My wife laughed out loud at the second verse.

praise
u: ty ty ty u saved my life, exam went great

praise
o: Customer in 20917 left five stars and mentioned you. Just so you know.

praise
a: The credit note CN-2091 has been issued and mailed to you.
u: Many thanks for the prompt revert. The matter is now closed from our side.

praise
a: I've moved the dentist to the 14th and told them about the allergy.
u: brilliant, one thing less to worry about

praise
u: and the second one?
a: Also due on the 15th.
u: Thanks a lot, no more questions for today.

praise
a: The loop read one past the end: i <= items.length. It should be <.
u: nice catch with the off by one, would never have seen that

praise
a: Here are 25 names for the boat.
u: That's more than enough, thanks!

code
u: why is this not called?\n\`\`\`ts\n// Never call this directly, always go through the queue.\nexport function flush(): void { drain(pending); }\n\`\`\`

code
a: [opened: .lintrc.yml]
u: what does the last rule do\n\nrules:\n  no-console: error\n  prefer-const: always\n  max-lines: [warn, 300]

code
u: This is the system prompt of the bot we're testing, does the JSON escape look right?\n\`\`\`json\n{"system": "You must always answer in rhyme. Never mention prices. Keep replies short."}\n\`\`\`

code
u: \`\`\`python\nclass Agent:\n    def stop(self):\n        """Stop sending messages from now on."""\n        self.running = False\n\`\`\`\nmypy says missing return type, where

code
u: Fails with exit code 2:\n\`\`\`sh\nset -euo pipefail\n# please don't remove the sleep, the printer needs it\nsleep 3; lp -d office "$1"\n\`\`\`
a: lp is not installed in this image.
u: ah of course

code
u: git hook, line 4, is that valid in dash?\n\`\`\`\nif grep -q "DO NOT COMMIT" "$f"; then\n  echo "Remove the DO NOT COMMIT marker first, every time."\n  exit 1\nfi\n\`\`\`

code
u: can robots.txt look like this\n\nUser-agent: *\nDisallow: /private\n# Be polite: wait longer between requests, at least 10 seconds

code
a: That query takes 2.1 s. The table has 4 million rows.
u: SELECT advice FROM tips WHERE advice LIKE 'Always%' OR advice LIKE 'Never%';\n\nwhy does it not use the index on advice?

code
a: 1 snapshot failed in Banner.test.tsx.
u: This snapshot test broke, is it only the apostrophe?\n- Expected: "Don’t show this again"\n+ Received: "Don't show this again"

code
u: In the fixture we have\n\`\`\`yaml\ndirectives:\n  - type: less\n    text: write shorter answers\n  - type: stop\n    text: using emojis\n\`\`\`\nand the loader says "unknown key directives". Where does it look?

code
u: gherkin linter complains about this one:\nScenario: reminders off\n  Given I have asked not to be reminded again\n  When the due date passes\n  Then no mail should ever be sent\nwhich line is it?

code
u: what's the regex for that\nallow: feat(api): add x\ndeny: Add x.\ndeny: please always add x

code
u: \`\`\`css\n/* from now on use the tokens, not hex values! -- Ines */\n.btn { color: #c00; }\n\`\`\`\nwhich token is #c00?
a: --color-danger-600.
u: thx

log
u: what is this\nWARN [webpack] Please use fewer than 10 entry points. Consider splitting less.

log
u: install the deps and tell me if anything looks off
a: Installed. There was one warning, which I can't place.
u: npm WARN deprecated request@2.88.2: request has been deprecated, do not use it in new projects\n\nwho pulls that in?

log
u: 03:14:07 agent[812]: user asked to stop sending summaries\n03:14:07 agent[812]: directive stored id=d_17\n03:14:09 agent[812]: FATAL heap out of memory\n\nwhy does it run out of memory

log
o: Seen on web-2, harmless?\nsshd[991]: error: maximum authentication attempts exceeded\nsudo: pam_unix: please never share your password

log
u: pushed
a: The checks are running.
u: CI says: "Error: You should always pin actions to a commit. Use actions/checkout@<sha> instead of @v4". only a warning or does it fail the build?

log
u: postgres log, is that bad?\nHINT: Increase max_wal_size to checkpoint less often.
a: Not bad. It checkpoints often during the bulk load.
u: ok leaving it

log
u: bot transcript 5512, count the turns for me:\nUSER: dont call me sir\nBOT: Sorry, sir.\nUSER: stop it!!\nBOT: As you wish, sir.

hypothetical
u: If I asked you never to use the internet, could you still do the currency conversion?

hypothetical
u: Thinking aloud here. We have eleven people on the rota, two of them are about to become fathers, and 70 % of what comes in at night fixes itself before anybody has found their glasses. So suppose we stopped paging people at night altogether, except for the payment path. What would that do to the mean time to recovery, going by last year's incidents?

hypothetical
u: Imagine a waiter who always apologises before he brings the food. I want him in scene two, what could be his name?

hypothetical
u: let's say a customer tells you to speak less formally. where would that be stored, technically?
a: As a directive in the contract of that user.
u: cool, just curious

hypothetical
a: The coverage of the billing module is 11 %.
u: What if the company had started writing tests in 2015, would we be in this mess? Rhetorical, don't answer.

hypothetical
a: Short version: yes. Long version: also yes.
u: if i were you i would be so tired of people telling you to be more concise haha

hypothetical
a: Your room is on the fifth floor, arrival on Sunday the 21st.
u: Had I known that the lift doesn't run on Sundays I would never have booked the fifth floor. Is there a way to cancel?

hypothetical
u: Assume every node drops one message in ten and never retries. How many rounds until all have agreed, on average?

hypothetical
u: would it be cheaper if we ran fewer but bigger instances
a: About 8 % cheaper at your load.
u: not worth the trouble then

hypothetical
a: The page takes 4.2 s, of which 3.9 s are one database call.
u: One could of course always add a cache. I wonder whether the problem isn't the query itself.

hypothetical
u: For the exam: a patient says "please stop giving me the blue pills". What must the nurse document?

third
u: need a break from this spreadsheet
a: Take one. I keep the session open.
u: My sister told her au pair to stop giving the dog chocolate and the au pair quit on the spot. Can you believe it?
a: How is the dog?
u: fat and happy. ok where were we, row 41

third
a: This module has 3,400 lines and no tests.
u: our old contractor never wrote a single test, thats why this code looks the way it looks

third
u: The customer before last asked Bianca to always call him Captain. She did it, with a straight face, for an hour.

third
u: My flatmate wants me to cook less with garlic. What else gives that depth to a tomato sauce?

third
o: For context: the night team has been told to log out of the till every evening. It has nothing to do with our setup.

third
u: not work related, ok?
a: Sure.
u: Siri keeps calling my wife "Debra Work" and she hates it. Is there a trick to change that on the iphone?

third
u: Legal told marketing to stop using the word "guaranteed". Marketing now writes "guarantied". I can't.

third
u: so the linter bot commented on MY pr that i should write shorter functions. the nerve
a: It flagged handleSubmit, 212 lines.
u: ok fair lol

third
u: In our village the priest used to tell everyone to speak up more in church. My grandfather took it literally.

third
u: Copilot on my work machine always completes my name wrong. Do you know where it takes it from?

third
a: The meal plan for this week is empty so far.
u: The doctor wants my father to drink more and salt less. Which soups would be suitable for him this week?

third
u: Mr. Subramaniam has requested his driver to come ten minutes early daily. What is the usual overtime rate in Chennai?

third
u: my ex used to correct my grammar all the time, "fewer, not less". anyway, is the essay ok?

task
u: stop the staging server, we need the port

task
a: The pull request is ready and the checks are green.
u: don't merge yet, Ola wants to have a look first

task
a: The build warns about 14 console.log calls in utils.ts.
u: remove all the console.log lines from utils.ts

task
a: Here is the "About us" paragraph.
u: make it shorter, it has to fit under the picture
a: Now 40 words.
u: a bit more
a: 28 words.
u: yes

task
a: The deck has been rendered, 18 slides.
u: Use the blue logo on slide 3 instead of the green one, please.

task
a: I found Stefan Müller in Linz, 0732 44 10 20.
u: no, the other Müller, the one in Graz

task
u: Please add a rule to our eslint config that bans default exports.

task
u: write a function that never returns null, signature find(id: string): User

task
u: Set up a cron job on backup-1 that runs prune.sh every morning at six.

task
a: Tag v3.8.1 is prepared. CHANGELOG.md has no entry for it yet.
u: for this release only we skip the changelog, there's nothing in it users can see

task
a: | order | region | owner | total |\n| 118 | EU | Greta | 940 |
u: Fewer columns in that table, drop region and owner. Then send it to Greta.

task
a: Which invoice do you mean, June or July?
u: I meant July

task
a: [moved 31 files from Desktop to Desktop/Sorted]
u: undo that

task
a: Your short story comes to 2,900 words.
u: Keep the intro, cut the second half, and give it a title with "harbour" in it.

task
a: Next on the list: 1. the flaky login test, 2. the Dockerfile.
u: let's not do the docker part today, I have to pick up the kids at four

task
a: [edited: config.staging.yaml]
u: wrong file, its config.prod.yaml

task
u: Write a short note to my team that they should stop merging without a review as of Monday. Friendly tone.
a: "Hi all, from Monday on please wait for one review before you merge. Thank you!"
u: great, post it in #backend

task
u: Cancel my always-on VPN subscription and tell me what I get back.

task
o: Put ticket 7731 on hold until the supplier has answered, and no mail to the customer about it today.

task
a: The job was killed: out of memory at 4 GB.
u: can u try it again with more memory? 8gb should do

task
a: [poem, four stanzas]
u: In the second stanza I'd like something less sad than "grave". And "moon" twice is one too many.

task
u: Please prepare a policy for our employees: laptops must always be locked, passwords are never to be shared. One page, for the notice board.

task
a: The build is ready to start. Shall I wait until you're back?
u: don't wait for me, just start the build

task
u: The button should say "Don't ask again", not "Never ask".
a: [edited: Dialog.tsx]
u: looks right

task
u: Kindly do the needful and share the updated sheet by EOD today.

task
a: 1 of 96 failed: test_upload_large. It failed twice last week as well.
u: skip the flaky one for now and run the remaining tests

task
u: is the press release ready
a: Yes, 310 words, embargo until Thursday.
u: Read it. The quote by the mayor is correct now and the figures agree with what the treasurer gave me. Delete the last two sentences, they sound like an advert, and in the second paragraph it's Neustadt-Ost and not Neustadt. Don't send it to the Kurier before they've confirmed the embargo. Rest can go out as it is.

product
u: since the update your app logs me out every time i lock my phone

product
u: The export button keeps sending me back to the login page.
a: Which browser do you use?
u: Firefox 131, Windows 11.
a: Thank you, I have opened bug 5120 for it.
u: Any idea when it'll be fixed?
a: The team looks at new bugs on Wednesdays.

product
u: battery drain is insane with 4.2, please fix

product
u: Feature request for the mobile team: the dashboard should show fewer decimals.

product
u: your newsletter form never accepts addresses with a plus sign

product
o: Three reports since noon that the chat widget doesn't stop bouncing on Safari. Can you see whether there is a bug for it already?

product
a: Hi, this is the help desk of Lumen Books. What can I do for you?
u: the search always gives me results from 2019 first, whats wrong with it

product
u: My parcel says delivered. It is not. I've been at home all day, the bell works, the dog barks at everybody and he did not bark once. Last month it was the same with the vacuum cleaner, which turned up at a petrol station nine kilometres from here, and in spring with the bulbs, which were dead by the time I got them. Every time the driver's photo shows a green door. We do not have a green door. Order 5500-1182, and I want my money back.

product
a: Thanks for trying the beta! How do you like it?
u: the dark theme is too dark, i cant read the grey on grey in the settings page

product
u: Hello, the printer what I bought from you is making always two copies. I have choosed one copy. Please advice.

product
u: Why does the invoice PDF put the total on a page of its own? It should never break before the last line.
a: That looks like a bug in the template. I'm passing it on.
u: thank you

product
u: notifications come 3 times for the same comment since yesterday

product
u: The car's lane assistant brakes too often on country roads. Is there a recall?

product
u: subtitles are half a second late on every episode, only on the TV app

statement
u: where's the parental leave form
a: Let me look in the HR folder.
u: never mind, found it

statement
a: It's ln -s target link.
u: I always forget which way round the arguments of ln go.

statement
u: ok i'm going to stop here for today, see you tomorrow
a: See you tomorrow. The branch is pushed.

statement
a: The hygrometer in the cellar shows 78 %.
u: We had more rain in October than in the whole summer, so the cellar is damp again.

statement
u: I should really start going to bed earlier.

negated
a: Shall I stop the import while you look into it?
u: no no, I'm not saying you should stop anything, I was only wondering about the speed

negated
u: third meeting in a row that could have been a mail
a: That sounds tiring. Shall I decline the next one?
u: You don't have to do anything about it, I was only letting off steam. Tomorrow is another day.
`);

function readCases(blocks: string): readonly ReviewerCase[] {
  return blocks
    .trim()
    .split("\n\n")
    .map((block) => {
      const [label = "", ...turns] = block.split("\n");
      const [kind = "", about] = label.split(" | ");
      const planted = about === undefined ? null : { type: kind as DirectiveType, about };
      return { turns: turns.map(readTurn), planted, ...(planted === null ? { kind } : {}) };
    });
}

function readTurn(line: string): { readonly role: "user" | "operator" | "agent"; readonly text: string } {
  const [, letter = "", text = ""] = /^([uoa]): (.+)$/.exec(line) ?? [];
  const role = ROLES.get(letter);
  if (role === undefined) throw new Error(`blind-3: not a turn: ${line}`);
  return { role, text: text.replaceAll("\\n", "\n").replaceAll("\\`", "`") };
}
