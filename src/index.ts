/** The public door: the only barrel, imported by outsiders only. */
export { type ErrorCode, OverhearError } from './errors.js'
export { kernelHash } from './numeric/kernel-bytes.js'
export * as scalar from './numeric/scalar.js'
