import { propertyWorlds } from './pinned-federation-worlds.js'
import { pinNumbers } from './pinned-numbers.js'

pinNumbers('properties', propertyWorlds, 1)
