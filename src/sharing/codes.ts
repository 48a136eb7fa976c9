/** What sharing calls the faults that any route may meet. */
export const SHARING_CODES = { service_unavailable: 'sharing_unavailable', internal_error: 'internal' } as const
