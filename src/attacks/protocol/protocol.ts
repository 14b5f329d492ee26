/** What an eavesdropper learns of the training recipe: stated is one thing, heard may be another. */
import { whole } from '../../params.js'
import { claimed, defineAttack } from '../attack.js'
import { heardNeeds, heardProtocol, heardUses, unknownIn, usualHearing, wordsOf } from '../shared/heard-protocol.js'
import { doubtedP } from '../shared/recipe-search.js'
import { permutedTurns } from '../shared/turn-controls.js'
import { asDetail, plantedRecipe } from './protocol-controls.js'

export const protocol = defineAttack({
  id: 'protocol',
  effort: 3,
  title: 'How a client trains: which recipe explains its messages, beside the one that is stated',
  where: 'docs/protocol-inference.md',
  target: 'protocol',
  beyond: true,
  needs: [...heardNeeds, 'target'],
  uses: heardUses,
  params: {
    rounds: whole({ default: usualHearing.rounds, min: 1, doc: 'messages that are looked at', unit: 'messages' }),
    plays: whole({ default: usualHearing.plays, min: 2, doc: 'times that each turn is played over to judge a recipe' }),
  },
  async run(view, { params, rng, tick }) {
    let done = 0
    const most = 400 * params.rounds // about: a long search takes more
    const ticks = () => tick(Math.min(++done, most), most)
    const { stated, heard, p, heardP, excess, evidence, byRound } = await heardProtocol(view, {
      ...params,
      rng,
      tick: ticks,
    })
    const warnings: string[] = []
    if (p === null) warnings.push('no turn could be played over: nothing but the values of messages was looked at')
    else if (heardP !== null && heardP <= doubtedP) warnings.push('no recipe that was tried explains the messages')
    return claimed(
      { kind: 'protocol', client: view.target, settings: { ...heard } },
      {
        warnings,
        fit: { stated: { ...stated }, heard: { ...heard }, p, ...(byRound !== undefined && { byRound }) },
        details: {
          stated: wordsOf(stated),
          heard: wordsOf(heard),
          unknown: unknownIn(stated),
          p,
          heardP,
          excess: excess && { ...excess },
          evidence: [...evidence],
          settings: asDetail(heard),
        },
      },
    )
  },
  plant: plantedRecipe,
  shuffle: permutedTurns,
})
