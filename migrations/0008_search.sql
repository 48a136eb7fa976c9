CREATE TABLE "search_documents" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"part" text NOT NULL,
	"stemmer" text NOT NULL,
	"version" integer NOT NULL,
	"passages" integer NOT NULL,
	"terms" text[] NOT NULL,
	CONSTRAINT "search_documents_user_id_session_id_part_pk" PRIMARY KEY("user_id","session_id","part")
);
--> statement-breakpoint
CREATE TABLE "search_terms" (
	"user_id" text NOT NULL,
	"term" text NOT NULL,
	"session_id" text NOT NULL,
	"part" text NOT NULL,
	"passages" smallint NOT NULL,
	"most" real NOT NULL,
	"ordinals" smallint[] NOT NULL,
	"weights" real[] NOT NULL,
	CONSTRAINT "search_terms_user_id_term_session_id_part_pk" PRIMARY KEY("user_id","term","session_id","part") INCLUDE ("passages","most")
);
--> statement-breakpoint
CREATE TABLE "search_totals" (
	"user_id" text NOT NULL,
	"stemmer" text NOT NULL,
	"sessions" integer NOT NULL,
	"passages" integer NOT NULL,
	CONSTRAINT "search_totals_user_id_stemmer_pk" PRIMARY KEY("user_id","stemmer")
);
--> statement-breakpoint
CREATE TABLE "vector_indexes" (
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"dimension" integer NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "vector_indexes_user_id_model_pk" PRIMARY KEY("user_id","model")
);
--> statement-breakpoint
ALTER TABLE "chunks" ADD COLUMN "starts_at" double precision;--> statement-breakpoint
ALTER TABLE "chunks" ADD COLUMN "ends_at" double precision;--> statement-breakpoint
ALTER TABLE "search_documents" ADD CONSTRAINT "search_documents_session_fk" FOREIGN KEY ("user_id","session_id") REFERENCES "public"."sessions"("user_id","session_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_terms" ADD CONSTRAINT "search_terms_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_totals" ADD CONSTRAINT "search_totals_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vector_indexes" ADD CONSTRAINT "vector_indexes_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;