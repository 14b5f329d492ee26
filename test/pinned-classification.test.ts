import { pinNumbers } from './pinned-numbers.js'
import { classWorlds } from './pinned-worlds.js'

pinNumbers('classification', classWorlds, 4)
