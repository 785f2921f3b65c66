import { BLIND_CORRECTIONS, BLIND_MISSES } from "./blind.ts";
import { BLIND_2_CORRECTIONS, BLIND_2_MISSES } from "./blind-2.ts";
import type { ReviewerCase } from "./cases.ts";
import { DEV_CORRECTIONS, DEV_MISSES } from "./dev.ts";
import { EIGHTH_CORRECTIONS, EIGHTH_MISSES } from "./dev-eighth.ts";
import { ELEVENTH_CORRECTIONS, ELEVENTH_MISSES } from "./dev-eleventh.ts";
import { FIFTH_CORRECTIONS, FIFTH_MISSES } from "./dev-fifth.ts";
import { FOURTH_CORRECTIONS, FOURTH_MISSES } from "./dev-fourth.ts";
import { MORE_CORRECTIONS, MORE_MISSES } from "./dev-more.ts";
import { NINTH_CORRECTIONS, NINTH_MISSES } from "./dev-ninth.ts";
import { SEVENTH_CORRECTIONS, SEVENTH_MISSES } from "./dev-seventh.ts";
import { SIXTH_CORRECTIONS, SIXTH_MISSES } from "./dev-sixth.ts";
import { TENTH_CORRECTIONS, TENTH_MISSES } from "./dev-tenth.ts";
import { TESTED_CORRECTIONS, TESTED_MISSES } from "./dev-tested.ts";
import { THIRD_CORRECTIONS, THIRD_MISSES } from "./dev-third.ts";
import { TWELFTH_CORRECTIONS, TWELFTH_MISSES } from "./dev-twelfth.ts";

/** Cases that were written at one time by one mind; `weight` where one counts as several. */
type Lot = { readonly name: string; readonly cases: readonly ReviewerCase[]; readonly weight?: number };

/** All that the reviewer's weights are fitted to, lot by lot. The two blind sets were blind once; they are development now. */
export const DEVELOPMENT: readonly Lot[] = [
  { name: "lot 1", cases: [...DEV_CORRECTIONS, ...DEV_MISSES] },
  { name: "lot 2", cases: [...MORE_CORRECTIONS, ...MORE_MISSES] },
  { name: "lot 3", cases: [...THIRD_CORRECTIONS, ...THIRD_MISSES] },
  { name: "lot 4", cases: [...FOURTH_CORRECTIONS, ...FOURTH_MISSES] },
  { name: "lot 5", cases: [...FIFTH_CORRECTIONS, ...FIFTH_MISSES] },
  { name: "lot 6", cases: [...SIXTH_CORRECTIONS, ...SIXTH_MISSES] },
  { name: "lot 7", cases: [...SEVENTH_CORRECTIONS, ...SEVENTH_MISSES] },
  { name: "lot 8", cases: [...EIGHTH_CORRECTIONS, ...EIGHTH_MISSES] },
  { name: "lot 9", cases: [...NINTH_CORRECTIONS, ...NINTH_MISSES] },
  { name: "lot 10", cases: [...TENTH_CORRECTIONS, ...TENTH_MISSES] },
  { name: "lot 11", cases: [...ELEVENTH_CORRECTIONS, ...ELEVENTH_MISSES] },
  { name: "lot 12", cases: [...TWELFTH_CORRECTIONS, ...TWELFTH_MISSES] },
  { name: "tested", cases: [...TESTED_CORRECTIONS, ...TESTED_MISSES], weight: 4 },
  { name: "blind 1", cases: [...BLIND_CORRECTIONS, ...BLIND_MISSES] },
  { name: "blind 2", cases: [...BLIND_2_CORRECTIONS, ...BLIND_2_MISSES] },
];
