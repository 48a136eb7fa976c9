import { execFileSync } from 'node:child_process'
import { isIP } from 'node:net'

/**
 * Writes a key and a certificate for the host, key.pem and cert.pem, and authority.pem, which signs only this certificate. With 0 days the
 * certificate has expired.
 */
export function writeCertificate(folder: string, host: string, days = 1) {
  const openssl = (words: string) => execFileSync('openssl', words.split(' '), { cwd: folder, stdio: 'ignore' })
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout'
  openssl(`req -x509 ${key} authority.key -out authority.pem -days 1 -subj /CN=authority`)
  const name = isIP(host) ? `IP:${host}` : `DNS:${host}`
  openssl(`req ${key} key.pem -out request.pem -subj /CN=receiver -addext subjectAltName=${name}`)
  const signing = '-CA authority.pem -CAkey authority.key -CAcreateserial -copy_extensions copyall'
  openssl(`x509 -req -in request.pem ${signing} -days ${days} -out cert.pem`)
}
