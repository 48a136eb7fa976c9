#!/usr/bin/env bash
# Sets up a PostgreSQL 15 with pgvector for tests on Debian 12, and prints its URL as the last line:
#
#   TEST_DATABASE_URL=$(postgres/install.sh | tail -1) npm test
#
# With a name, the database of that name is made anew, whatever was in it before.
#
# For development and CI only: the role's password is its name, and it is a superuser, which "create extension vector" asks for.
# Needs root. What is done already is not done again. Everything but the URL goes to stderr.
set -euo pipefail

readonly VERSION=15 CLUSTER=main ROLE=parlance MAX_CONNECTIONS=200
readonly DATABASE=${1:-parlance_test} ANEW=${1:+yes}
readonly PGVECTOR=0.8 PGVECTOR_SUITE=trixie
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
readonly CONTROL=/usr/share/postgresql/$VERSION/extension/vector.control

cd /
umask 022
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
work=
trap 'rm -rf "$work"' EXIT

say() { echo "postgres: $*" >&2; }
fail() { say "$*"; exit 1; }
installed() { dpkg-query --show --showformat '${db:Status-Status}\n' "$@" 2>/dev/null | grep -cx installed | grep -qx $#; }
as_postgres() { runuser -u postgres -- "$@"; }
sql() { as_postgres psql --cluster $VERSION/$CLUSTER -XAqt -v ON_ERROR_STOP=1 "$@"; }
# Columns of pg_lsclusters: version, name, port, status, …
cluster() { pg_lsclusters --no-header 2>/dev/null | awk -v v=$VERSION -v n=$CLUSTER -v column="$1" '$1 == v && $2 == n { print $column }'; }

install_packages() {
  installed "$@" && return
  say "installing $*"
  apt-get update -q
  apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

has_pgvector() { grep -qs "^default_version = '$PGVECTOR\." $CONTROL; }

# Debian 12 has no package of pgvector, so the source package of a later release is built here.
build_pgvector() {
  install_packages postgresql-server-dev-$VERSION build-essential dpkg-dev debian-archive-keyring
  work=$(mktemp -d)
  mkdir -p "$work"/{lists/partial,cache/archives/partial,source}

  # apt itself is asked for the mirror, so that every format of its sources, its proxies and its logins hold here too.
  local release mirror
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mirror=$(apt-get indextargets --no-release-info --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' | awk -v r="$release" '$1 == r && $2 == "main" { print $3; exit }')
  [ -n "$mirror" ] || fail "found no mirror of $release main in apt's sources"
  echo "deb-src [signed-by=$KEYRING] $mirror $PGVECTOR_SUITE main" > "$work/sources.list"

  # A state of its own: the machine's package lists know nothing of the other release, before and after.
  local apt=(apt-get -q
    -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
    -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=3)
  say "building pgvector from the source package of $PGVECTOR_SUITE"
  "${apt[@]}" update --error-on=any
  (cd "$work/source" && "${apt[@]}" source --download-only --only-source pgvector)
  dpkg-source --no-check --extract "$work"/source/pgvector_*.dsc "$work/source/pgvector"
  local make=(make -C "$work/source/pgvector" PG_CONFIG=/usr/lib/postgresql/$VERSION/bin/pg_config with_llvm=no)
  "${make[@]}" -j"$(nproc)" OPTFLAGS=
  "${make[@]}" install
  rm -rf "$work"
  has_pgvector || fail "pgvector $PGVECTOR was wanted, found: $(cat $CONTROL)"
}

start_cluster() {
  [ -n "$(cluster 4)" ] || pg_createcluster $VERSION $CLUSTER
  [[ $(cluster 4) == online* ]] && return
  say 'starting the cluster'
  pg_ctlcluster --skip-systemctl-redirect $VERSION $CLUSTER start
}

answers() { as_postgres pg_isready --quiet --cluster $VERSION/$CLUSTER; }

wait_for_cluster() {
  local tries
  for ((tries = 0; tries < 120; tries++)); do
    answers && return
    sleep 0.25
  done
  fail "the cluster does not answer; see /var/log/postgresql/postgresql-$VERSION-$CLUSTER.log"
}

# Every worker of the tests has a pool of its own; the default of 100 connections is soon used up.
raise_connections() {
  [ "$(sql -c 'show max_connections')" -ge $MAX_CONNECTIONS ] && return
  sql -c "alter system set max_connections = $MAX_CONNECTIONS"
  pg_ctlcluster --skip-systemctl-redirect $VERSION $CLUSTER restart
  wait_for_cluster
}

create_role_and_database() {
  [ -n "$(sql -c "select 1 from pg_roles where rolname = '$ROLE'")" ] ||
    sql -c "create role $ROLE superuser login password '$ROLE'"
  [ -z "$ANEW" ] || sql -c "drop database if exists $DATABASE with (force)"
  # A machine without a locale has made the cluster in SQL_ASCII, so the encoding is named.
  [ -n "$(sql -c "select 1 from pg_database where datname = '$DATABASE'")" ] ||
    sql -c "create database $DATABASE owner $ROLE template template0 encoding 'UTF8' locale 'C.UTF-8'"
}

main() {
  [ "$(id -u)" = 0 ] || fail 'run this as root'
  install_packages postgresql-$VERSION
  has_pgvector || build_pgvector
  start_cluster
  wait_for_cluster
  raise_connections
  create_role_and_database
  url="postgres://$ROLE:$ROLE@127.0.0.1:$(cluster 3)/$DATABASE"
  psql -XAqt -c 'select 1' "$url" > /dev/null || fail "cannot log in as $ROLE"
  say 'ready'
}

# Only bash itself keeps the real stdout: a server that inherited it would keep the caller's pipe open for ever.
main >&2
echo "$url"
