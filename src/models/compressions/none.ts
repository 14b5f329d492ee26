/** Changes are sent as they are. */
import { defineCompression } from './compression.js'

export const none = defineCompression({ id: 'none', title: 'changes are sent as they are', params: {} })
