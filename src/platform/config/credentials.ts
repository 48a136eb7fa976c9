import { createSecureContext } from 'node:tls'
import { OperatorError } from '../core/operator-error.ts'
import type { Environment } from './environment.ts'

export interface BucketCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** The credentials of the bucket that are set. Undefined if the AWS client has to find some. */
export function bucketCredentials(settings: Environment): BucketCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if (!accessKeyId && !secretAccessKey) return undefined
  if (!accessKeyId || !secretAccessKey) {
    const [missing, other] = accessKeyId
      ? ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID']
      : ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
    throw new OperatorError(`${missing}: required with ${other}; set both of the bucket's access key`)
  }
  const sessionToken = settings.AWS_SESSION_TOKEN
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

/** The certificate that this server shows to others. Throws if it cannot be used. */
export function clientCertificate({ OUTBOUND_CLIENT_CERT: cert, OUTBOUND_CLIENT_KEY: key }: Environment) {
  if (!cert && !key) return undefined
  if (!cert || !key)
    throw new OperatorError(
      cert
        ? 'OUTBOUND_CLIENT_KEY: required with OUTBOUND_CLIENT_CERT; set the key of that certificate'
        : 'OUTBOUND_CLIENT_CERT: required with OUTBOUND_CLIENT_KEY; set the certificate of that key'
    )
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new OperatorError(
      'OUTBOUND_CLIENT_KEY: is not the key of OUTBOUND_CLIENT_CERT, or one of them is no PEM without a password',
      { cause }
    )
  }
  return { cert, key }
}
