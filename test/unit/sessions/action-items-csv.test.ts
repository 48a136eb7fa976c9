import { expect, test } from 'vitest'
import { ACTION_ITEMS_CSV } from '../../../src/contract/action-item-csv-example.ts'
import { EXAMPLES } from '../../../src/contract/examples.ts'
import { toCsv } from '../../../src/features/sessions/action-items-csv.ts'

test('the example of the document is the example list as the server writes it', () => {
  expect(ACTION_ITEMS_CSV).toBe(toCsv(EXAMPLES.actionItemList.action_items))
})
