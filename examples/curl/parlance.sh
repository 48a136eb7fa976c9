# The few lines that every example needs. It prints what the server answers; a refusal goes to stderr and ends the script.
: "${PARLANCE_TOKEN:?Set PARLANCE_TOKEN to a token of the server}"
PARLANCE_URL=${PARLANCE_URL:-http://127.0.0.1:8080}

parlance() {
  answer=$(curl --fail-with-body -sS -H "Authorization: Bearer $PARLANCE_TOKEN" -H "Content-Type: ${TYPE:-application/json}" "$@") || {
    printf '%s\n' "$answer" >&2
    return 1
  }
  # Not echo, which reads the backslashes of JSON in some shells.
  printf '%s\n' "$answer"
}
