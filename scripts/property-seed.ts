import { configureGlobal } from "fast-check";

/**
 * `npm test` uses a fixed seed, so that results depend only on the change. `npm run fuzz` uses new seeds and more
 * cases; a failure prints the seed and path that reproduce it.
 */
const fuzz = process.env.CONDUCT_FUZZ;
configureGlobal(fuzz === undefined ? { seed: 20_261_115 } : { numRuns: Number(fuzz) });
