/** The browser door: for now, whether this browser computes the bits that every other engine computes. */
import { digestOf, type FingerprintOptions, fingerprintTraining } from '../models/fingerprint.js'

/** Trains in this page, shows the digest of the trained model in `element`, and returns it. */
export async function showFingerprint(element: HTMLElement, options: FingerprintOptions = {}): Promise<string> {
  const digest = await digestOf(fingerprintTraining(options))
  element.textContent = digest
  return digest
}
