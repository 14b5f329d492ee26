/** Where a process begins that a plug-in's attack is confined to: what all share is locked before anything is loaded. */
import { lockIntrinsics } from '../threads/lock-intrinsics.js'

lockIntrinsics()
const { serveTasks } = await import('./confined-tasks.js')
serveTasks()
