CREATE TABLE "clock_readings" (
	"name" text PRIMARY KEY NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	"steady_since" timestamp (3) with time zone NOT NULL
);
