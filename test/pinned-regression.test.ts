import { pinNumbers } from './pinned-numbers.js'
import { regressionWorlds } from './pinned-worlds.js'

pinNumbers('regression', regressionWorlds, 2)
