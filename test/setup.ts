/** Before every test file. Property tests draw the same cases everywhere; a failure prints the seed, FC_SEED=n takes another. */
import fc from 'fast-check'

const given = process.env.FC_SEED ?? '1'
if (!/^-?\d+$/.test(given)) throw new Error(`FC_SEED is "${given}"; a whole number is needed`)

fc.configureGlobal({ seed: Number(given) })
