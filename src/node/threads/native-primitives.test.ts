import { describePrimitives } from '../../../test/primitives-suite.js'
import { nativePrimitives } from './native-primitives.js'

describePrimitives('Node', nativePrimitives())
