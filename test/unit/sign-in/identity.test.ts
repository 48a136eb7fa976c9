import { expect, test } from 'vitest'
import { isVerified, readIdentity } from '../../../src/features/sign-in/oidc/identity.ts'

const MICROSOFT = 'https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0'
const GOOGLE = 'https://accounts.google.com'

test.each([
  [GOOGLE, { email_verified: true }, true],
  [GOOGLE, { email_verified: false }, false],
  [GOOGLE, { email_verified: 'true' }, true],
  [GOOGLE, { email_verified: 'false' }, false],
  [GOOGLE, { email_verified: 1 }, false],
  [GOOGLE, {}, undefined],
  [GOOGLE, { xms_edov: true }, undefined],
  ['https://login.microsoftonline.com.evil.example/v2.0', { xms_edov: true }, undefined],
  [MICROSOFT, {}, undefined],
  [MICROSOFT, { xms_edov: true }, true],
  [MICROSOFT, { xms_edov: '1' }, true],
  [MICROSOFT, { xms_edov: 1 }, true],
  [MICROSOFT, { xms_edov: false }, false],
  [MICROSOFT, { xms_edov: '0' }, false],
  [MICROSOFT, { xms_edov: true, email_verified: false }, false]
])('%s says with %j that the address is the person: %s', (issuer, claims, expected) => {
  expect(isVerified(issuer, claims)).toBe(expected)
})

test('the identity has the address in its normal form, and no more than is needed', () => {
  const claims = {
    email: ' Ada@BÜCHER.example ',
    email_verified: true,
    name: 'Ada',
    picture: 'x',
    sub: 'of another source'
  }
  expect(readIdentity({ iss: GOOGLE, sub: '1' }, claims, ['xn--bcher-kva.example'])).toEqual({
    issuer: GOOGLE,
    subject: '1',
    email: 'ada@xn--bcher-kva.example',
    name: 'Ada'
  })
})
