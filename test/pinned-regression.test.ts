import { regressionWorlds } from './pinned-label-worlds.js'
import { pinNumbers } from './pinned-numbers.js'

pinNumbers('regression', regressionWorlds, 1)
