/** The example list of action items as CSV. A test compares it with what the server writes. */
export const ACTION_ITEMS_CSV = [
  'id,text,completed,source,assignee,due_date,source_start,user_edited_at,created_at,updated_at,session_id,session_title,session_timestamp,version',
  'ai_01m7x9fbe4f0kr8y2sdc4n6vqe,Send the offer to the client,false,agent,Ada,2026-03-06,612.4,,1772447400000,1772447400000,ses_01m7x9fbe4fey9tg3s33gak8w3,Weekly review,2026-03-02T10:00:00.000Z,1',
  ''
].join('\r\n')
