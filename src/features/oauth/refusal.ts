/** The codes of RFC 6749, 7009, 7591, 8707 and of its registries. */
export type OAuthCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'request_not_supported'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

/** An error that a client gets in the words of OAuth. The description is for its developers, in ASCII. */
export class OAuthRefusal extends Error {
  readonly code: OAuthCode

  constructor(code: OAuthCode, description: string) {
    super(description)
    this.name = 'OAuthRefusal'
    this.code = code
  }
}
