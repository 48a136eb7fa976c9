/** Of the server, and who asks: from the environment. */
export const url = process.env.PARLANCE_URL ?? 'http://127.0.0.1:8080'
export const token = process.env.PARLANCE_TOKEN ?? ''
