/** [lmra] Sec. 4: three clients hold the doctors of Adult by age, the others share the rest. */
import { asWords, columnOf, numbersOf, wordAt } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { numbers, whole } from '../params.js'
import { definePartition, slices } from './partition-entry.js'

export const adultPhd = definePartition({
  id: 'adult-phd',
  title: 'doctors by age to three clients, the rest in equal runs to the others',
  paper: 'lmra',
  params: {
    clients: whole({ default: 10, min: 4, doc: 'number of clients' }),
    // [lmra] writes "less than 38", "between 38 and 52", "elder than 52".
    ages: numbers({
      default: [38, 52],
      doc: 'the youngest and oldest age of the second client (published code: 39,53)',
    }),
  },
  deal: ({ source, rows }, { clients, ages }) => {
    const [from, to] = ages
    if (ages.length !== 2 || from! > to!) {
      throw new OverhearError(
        'E_VALUE',
        `partition adult-phd: ages are ${ages.join()}`,
        'two are needed, the lower first',
      )
    }
    const education = asWords(columnOf(source.table, 'education'))
    const age = numbersOf(source.table, 'age')
    const doctors = rows.filter((row) => wordAt(education, row) === 'Doctorate')
    const rest = rows.filter((row) => wordAt(education, row) !== 'Doctorate')
    return {
      clients: [
        doctors.filter((row) => age[row]! < from!),
        doctors.filter((row) => age[row]! >= from! && age[row]! <= to!),
        doctors.filter((row) => age[row]! > to!),
        ...slices(rest, clients - 3),
      ],
    }
  },
})
