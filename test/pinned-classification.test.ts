import { classWorlds } from './pinned-label-worlds.js'
import { pinNumbers } from './pinned-numbers.js'

pinNumbers('classification', classWorlds, 2)
