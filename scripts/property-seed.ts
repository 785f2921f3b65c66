import { configureGlobal } from "fast-check";

/**
 * `npm test` draws the same cases every time, so that a change is judged by what it changes. `npm run fuzz` draws new ones,
 * and more of them; a failure there prints the seed and path that bring it back.
 */
const fuzz = process.env.CONDUCT_FUZZ;
configureGlobal(fuzz === undefined ? { seed: 20_261_115 } : { numRuns: Number(fuzz) });
