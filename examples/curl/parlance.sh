# The few lines that every example needs. It prints what the server answers; a refusal goes to stderr and ends the script.
: "${PARLANCE_TOKEN:?Set PARLANCE_TOKEN to a token of the server}"
PARLANCE_URL=${PARLANCE_URL:-http://127.0.0.1:8080}
PARLANCE_URL=${PARLANCE_URL%/}

# Waits as long as the server asks when there were too many requests.
parlance() {
  until answer=$(curl --fail-with-body -sS -w '\n%{http_code} %header{retry-after}' -H "Authorization: Bearer $PARLANCE_TOKEN" -H "Content-Type: ${TYPE:-application/json}" "$@"); do
    outcome=${answer##*
}
    if [ "${outcome% *}" != 429 ]; then
      printf '%s\n' "${answer%?"$outcome"}" >&2
      return 1
    fi
    sleep "${outcome#* }" || return 1
  done
  # Not echo, which reads the backslashes of JSON in some shells.
  printf '%s\n' "${answer%
*}"
}
