/** The options of routes that serve files without a token, outside of the OpenAPI document. */
export const PUBLIC_FILE = { config: { scopes: 'public' }, schema: { hide: true } } as const
