import { pinNumbers } from './pinned-numbers.js'
import { localModelWorlds } from './pinned-worlds.js'

pinNumbers('local-model', localModelWorlds, 1)
