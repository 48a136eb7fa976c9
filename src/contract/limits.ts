/** The numbers the API promises, by name. */
export const LIMITS = {
  requestsPerMinute: 60,
  requestsPerDay: 10_000,
  tokenLifetimeDays: 365,
  sessionsPage: { default: 20, max: 100 },
  bodyBytes: 64 * 1024
} as const
