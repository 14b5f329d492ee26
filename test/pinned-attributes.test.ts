import { pinNumbers } from './pinned-numbers.js'
import { attributeWorlds } from './pinned-worlds.js'

pinNumbers('attributes', attributeWorlds)
