/** The browser door. */
export { kernelHash } from '../numeric/kernel-bytes.js'
