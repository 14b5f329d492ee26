import { federationWorlds } from './pinned-federation-worlds.js'
import { pinNumbers } from './pinned-numbers.js'

pinNumbers('federation', federationWorlds)
