/** The page at which a user decides about a client of OAuth. It alone answers some requests with an address of another server. */
export const AUTHORIZE_PATH = '/oauth/authorize'
