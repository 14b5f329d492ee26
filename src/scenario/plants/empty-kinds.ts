/** How a scenario's world is made one in which there is nothing to find. */

/**
 * `noise`: targets send noise. `others`: each trains on another client's records under its name. `nowhere`: on records of all
 * others, so that the people who are known of were nowhere. `redrawn`: sensitive columns are dealt anew among a client's
 * people after the training.
 */
export type EmptyWorld = 'noise' | 'others' | 'nowhere' | 'redrawn'
