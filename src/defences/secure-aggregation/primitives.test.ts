import { describePrimitives } from '../../../test/primitives-suite.js'
import { webCrypto } from './primitives.js'

describePrimitives('WebCrypto', webCrypto())
