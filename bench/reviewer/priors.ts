/** What a feature is taken for before any case is seen: what it speaks for a wish that lasts, and for which type. */
type Prior = { readonly wish: number; readonly types: Readonly<Record<string, number>> };

/** Lines of a feature, what it weighs at first, and for which type. The weights are held to these, so that few cases cannot turn them around. */
const TABLE = `
lasting 1.5 start=0.7
always 0.5 start=0.7
never 0.3 stop=2
each 0.3 start=0.5
calendar 0.5 start=0.7
again 0.4
once -1.5
pointed -1
ordinal -1
third -0.5
product -1
reported -1.5
hypothetical -1.5
unmeant -2
sarcastic -2
narrated -0.7
named -0.7
asked:plain -2
quotes -0.3
please 0.4
stop 0.5 stop=1.5
alone 1 stop=2
dont 0 stop=0.5
no 0 stop=0.5
unasked 1 stop=1
no_need 0.5 stop=1
dislike 0.5 stop=1
keeps 0.5 stop=1
forgets 0 start=0.7
too 0 less=1
too-much 0 less=2.5
too_many 0.3 less=3
too-little 0.3 more=4
excess 0 less=0.7
lacking 0 more=0.5
less 0.3 less=2
brief 0.3 less=1
reduce 0.8 less=2.5
bound 0.3 less=1
more 0
more-of-it 0.2 more=1.5
more_often 0.5 more=2
more_brief 0.5 less=2
little 0.5 more=1.5
no-more 0.5 stop=1.5
not-so-much 0.3 less=1.5
praise 0 keep=1
keep 0.3 keep=1.5
like_that 0.7 keep=2
instead 0.3 start=0.7
condition 0.3 start=0.7
first 0.3 start=0.7
should 0.2 start=0.7
want 0.3 start=0.5
to_me 0.3 start=0.3
ensure 0.3 start=0.7
how 0.3 start=0.7
style 0.3 start=0.7
your-work 0.7
from_you 0.4
says-no-to-doing 1.5 stop=1
says-no-to-talk 1.5 stop=1
says-no-to-many 1.2 stop=1
dont-many 1 stop=1
says-no-to-one -1
ever-do 2
somebody-ever -1.2
nothing-without 1.2 stop=1.2
asks-each-time 1.5 start=0.5
asks-before-doing 1 start=0.5
asks-in-each 1.2 start=0.5
does-one -1
does-pronoun -1
names-a-way 0.7 start=0.7
your-thing-should 1.5
you-are-too 1.2 less=1
you-forget 1.2 start=3.5
you-did -0.5
must-be 0.7 start=0.7
of-somebody -1.5
of-the-thing -1
of-myself -1.5
wants-a-thing 1
wants-you-to 1
praises-and-keeps 1.5 keep=2
likes-what-you-do 1.5 keep=2
praise-alone -1
this-not-that 0.7 start=1
is-enough 0.5 less=1
asks-lasting 2
keeps-it-short 0.8 less=4
stop-so-much 0.7 less=4
not_done 0 start=0.5
no-stop -1 keep=1
no-stop-doing 2 keep=5
politely-less 2
be-more 2
less-talk 1.5 less=1.5
does-many 0.8
things-need 1 start=1
when-done -2
gives-me-more -1.5
asks-for-words -2
more-than-needed 0 less=3
such 0 keep=1
keeps-praised 1.5 keep=3
praised-to-keep 1 keep=2
that-was-too 4 less=1
asks-of-yours 3
way:stop 0 stop=1
way:dont 0 stop=1
way:no 0 stop=1
way:never 0 stop=1
way:no_need 0 stop=1
way:dislike 0 stop=1
way:keeps 0 stop=1
way:too_many 0 less=1
way:less 0 less=1.5
way:brief 0 less=1
way:reduce 0 less=1.5
way:bound 0 less=1
way:more_brief 0 less=1.5
way:more_often 0 more=1.5
way:more 0 more=1
way:little 0 more=1
way:keep 0 keep=1
way:like_that 0 keep=1.5
way:praise 0 keep=1
way:always 0 start=1
way:lasting 0 start=0.5
way:instead 0 start=0.5
way:should 0 start=0.5
way:want 0 start=0.5
way:ensure 0 start=1
way:condition 0 start=0.7
way:style 0 start=0.7
way:how 0 start=0.7
not_every 0.3 less=3
main:dont 0 stop=2.5
main:stop 0 stop=2
main:no 0 stop=2
main:needless 0 stop=1.5
main:dislike 0 stop=1.5
main:keeps 0 stop=1.5
main:keep 0 keep=0.7
main:do 0 start=0.7
mood:ask 0.3
mood:question -1.5
mood:state -0.7
frame:told 0.7
`;

export const PRIORS: ReadonlyMap<string, Prior> = new Map(
  TABLE.trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([name = "", wish = "0", ...types]) => [
      name,
      {
        wish: Number(wish),
        types: Object.fromEntries(
          types.map((pair) => pair.split("=")).map(([type = "", weight = "0"]) => [type, Number(weight)]),
        ),
      },
    ]),
);
